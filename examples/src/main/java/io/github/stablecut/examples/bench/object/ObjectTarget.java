package io.github.stablecut.examples.bench.object;

/** Many small objects in files, in the order of their ids. */
public interface ObjectTarget extends AutoCloseable {
  /** Writes all objects, durably. */
  void load(SampleObjects objects) throws Exception;

  /** Opens the loaded objects; the caller closes them before opening them again. */
  void open() throws Exception;

  /** Reads one object and returns its length, or -1 if it does not exist. */
  int find(byte[] id) throws Exception;

  /** Reads all objects in order and returns their number. */
  long scan() throws Exception;

  @Override
  void close();
}
