/** What the connections of consoles are called at the server: others know by it that a console uses the database. */
export const APPLICATION_NAME = 'weir';
