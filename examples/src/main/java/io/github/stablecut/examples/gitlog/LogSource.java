package io.github.stablecut.examples.gitlog;

import java.io.InputStream;

/** Where a log comes from, open for reading once. Confined to one thread. */
sealed interface LogSource extends AutoCloseable permits LogFile, GitProcess {
  /** What it is called. */
  String name();

  /** The log. */
  InputStream stream();

  /**
   * How much of the log has been read, 0 to 1; below 0 if nobody knows.
   *
   * @param commits the number of commits read
   */
  double fraction(long commits);

  /**
   * Checks, after the last byte was read, that it was the last.
   *
   * @throws GitLogException if what gives the log has failed
   */
  void finish();

  @Override
  void close();
}
