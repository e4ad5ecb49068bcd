package io.github.stablecut.journal;

import java.util.Arrays;
import java.util.Optional;

/** How much room a log has on its disk. */
public enum LogSpace {
  /** More than the reserve. */
  ENOUGH(0),

  /** Less than the reserve, which is for what is under way: nothing more is to be begun. */
  LITTLE(1),

  /** Less than half of the reserve: nothing more is to be written. */
  NONE(2);

  private final int code;

  LogSpace(int code) {
    this.code = code;
  }

  /** Stands for it in messages. */
  public int code() {
    return code;
  }

  /** What a code stands for; empty if nothing. */
  public static Optional<LogSpace> ofCode(int code) {
    return Arrays.stream(values()).filter(room -> room.code == code).findFirst();
  }
}
