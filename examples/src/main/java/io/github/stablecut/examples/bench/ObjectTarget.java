package io.github.stablecut.examples.bench;

/** Many small objects in files, in the order of their ids. */
interface ObjectTarget extends AutoCloseable {
  /** Writes all objects, durably. */
  void load(SampleObjects objects) throws Exception;

  /** Opens what was loaded; to be closed before it is opened again. */
  void open() throws Exception;

  /** Reads one object; answers its length, or -1 if there is none. */
  int find(byte[] id) throws Exception;

  /** Reads all objects in order; answers their number. */
  long scan() throws Exception;

  @Override
  void close();
}
