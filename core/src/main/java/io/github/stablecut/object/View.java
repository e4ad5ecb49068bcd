package io.github.stablecut.object;

/** The place where the state of an object that was opened in a store is cached. */
public enum View {
  /**
   * Cached in the handle, which fetches only new calls and executes them itself. Suits objects on
   * another node or a server that are read often. While the store has other data centres, this
   * behaves like {@link #REMOTE}, because their calls may be ordered before those that are here.
   */
  LOCAL,

  /**
   * Cached in the store; handles cache nothing. An embedded store keeps the state in memory with
   * the log, shared by all handles of equal type. In a cluster, the node that has the object
   * executes operations whose results it can send, if it was started with the type ({@link
   * ObjectTypes}). For a store connected to a server, the server does. For other operations, the
   * log is sent.
   */
  REMOTE
}
