package io.github.stablecut.examples.bench;

/** Something that makes small records durable. Thread-safe. */
interface CommitTarget extends AutoCloseable {
  /** Writes a record and blocks until it is durable. */
  void commit(byte[] body);

  /** The syncs so far; -1 if unknown. */
  long syncs();

  @Override
  void close();
}
