package io.github.stablecut.journal.segment;

import java.util.Arrays;
import java.util.Optional;

/** The free space of a log on its disk. */
public enum LogSpace {
  /** More than the reserve. */
  ENOUGH(0),

  /** Less than the reserve, which is for in-flight work: begin nothing new. */
  LITTLE(1),

  /** Less than half of the reserve: write nothing. */
  NONE(2);

  private final int code;

  LogSpace(int code) {
    this.code = code;
  }

  /** The code of this value in messages. */
  public int code() {
    return code;
  }

  /** The value of a code; empty if the code is unknown. */
  public static Optional<LogSpace> ofCode(int code) {
    return Arrays.stream(values()).filter(space -> space.code == code).findFirst();
  }
}
