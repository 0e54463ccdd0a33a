/** Fetchers of link previews: they want to be told about the target instead of being sent there. */
const PREVIEW =
  /facebookexternalhit|facebot|twitterbot|linkedinbot|slackbot|discordbot|whatsapp|telegrambot|skypeuripreview|pinterest(bot)?\/|redditbot|mastodon|bluesky cardyb|viber|vkshare|embedly|iframely|snapchat|googlechat|teamsbot|microsoftpreview|applebot|tumblr\/|flipboard|line-poker|kakaotalk-scrap/i;

export const isPreviewBot = (userAgent: string): boolean => PREVIEW.test(userAgent);
