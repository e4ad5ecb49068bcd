package io.github.stablecut.object;

/** Who keeps the state of an object that was opened in a store. */
public enum View {
  /**
   * The handle: it asks whether there are new calls, gets only these, and executes them itself. For
   * objects on another node or a server that are read often. As long as the store has other data
   * centres, whose calls may come to be before those that are here, this is as {@link #REMOTE}.
   */
  LOCAL,

  /**
   * The store: handles keep nothing. On an embedded store the state is in memory beside the log,
   * and is shared by all handles of equal type. In a cluster the node that has the object, and of a
   * store that is connected to a server the server, executes operations whose results it can send,
   * if it was started with the type ({@link ObjectTypes}); for others it sends the log.
   */
  REMOTE
}
