package io.github.stablecut.internal.record;

/** The kinds of records in a partition's journal, by their numbers on disk. */
public final class RecordKind {
  /** A committed transaction: {@link TransactionRecord}. */
  public static final byte TRANSACTION = 1;

  /** A ceiling of the clock: {@link ClockRecord}. */
  public static final byte CLOCK = 2;

  /** A prepared transaction: {@link TransactionRecord} with its prepare time. */
  public static final byte PREPARED = 3;

  /** The end of a decided transaction, or of an aborted one: {@link EndRecord}. */
  public static final byte END = 4;

  /** The last requests of sessions: {@link SessionsRecord}. */
  public static final byte SESSIONS = 5;

  /** The progress of the streams of other data centres: {@link ReachedRecord}. */
  public static final byte REACHED = 6;

  /** A checkpoint that all replicas of the partition make: {@link CheckpointRecord}. */
  public static final byte CHECKPOINT = 7;

  private RecordKind() {}
}
