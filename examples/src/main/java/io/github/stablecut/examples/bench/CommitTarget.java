package io.github.stablecut.examples.bench;

/** Something that makes small records durable, or reads them. Thread-safe. */
public interface CommitTarget extends AutoCloseable {
  /** Writes a record and blocks until it is durable; or reads one, if this is about reads. */
  void commit(byte[] body);

  /** The syncs so far; -1 if unknown. */
  long syncs();

  @Override
  void close();
}
