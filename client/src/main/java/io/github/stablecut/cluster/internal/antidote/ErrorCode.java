package io.github.stablecut.cluster.internal.antidote;

/**
 * The error numbers in answers. Numbers 0 to 3 are AntidoteDB's, whose clients pass on any other.
 * Stablecut's clients derive the exception to throw from them.
 */
public enum ErrorCode {
  /** An unexpected failure; the server's log has the details. */
  UNKNOWN(0),
  /** A transaction was open or idle for too long. */
  TIMEOUT(1),
  /** A type's own rules forbid the operation: a bounded counter lacks rights. */
  NO_PERMISSIONS(2),
  /** Another transaction has changed what this one depends on: try again. */
  ABORTED(3),
  /** The request is invalid, whatever the store contains. */
  BAD_REQUEST(100),
  /** The object has another type. */
  TYPE_MISMATCH(101),
  /** A size or count limit of the server was exceeded. */
  LIMIT_EXCEEDED(102),
  /** The descriptor names no open transaction. */
  NO_TRANSACTION(103),
  /** The clock is another store's, or ahead of this one. */
  UNKNOWN_SNAPSHOT(104),
  /** The server is at its load limit: try again. */
  BUSY(200),
  /** The disk is full: try again once there is room. */
  DISK_FULL(201),
  /** The transaction's outcome could not be determined in time. */
  OUTCOME_UNKNOWN(202),
  /** The server can't serve requests until it is restarted. */
  UNAVAILABLE(300),
  /** Stored data is damaged. */
  DAMAGED(400);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  static ErrorCode of(long number) {
    for (ErrorCode code : values()) {
      if (code.number == number) {
        return code;
      }
    }
    return UNKNOWN;
  }
}
