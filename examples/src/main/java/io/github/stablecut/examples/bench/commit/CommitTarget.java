package io.github.stablecut.examples.bench.commit;

/** A system that makes small records durable, or reads them. Thread-safe. */
public interface CommitTarget extends AutoCloseable {
  /** Writes a record and blocks until it is durable; a target for reads reads one. */
  void commit(byte[] body);

  /** The number of syncs so far; -1 if unknown. */
  long syncs();

  @Override
  void close();
}
