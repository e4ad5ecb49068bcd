package io.github.stablecut.examples.gitlog;

import java.io.InputStream;

/** The source of a log, readable once. Confined to one thread. */
sealed interface LogSource extends AutoCloseable permits LogFile, GitProcess {
  /** The name for messages. */
  String name();

  /** The log. */
  InputStream stream();

  /**
   * The part of the log that has been read, 0 to 1; negative if unknown.
   *
   * @param commits the number of commits read
   */
  double fraction(long commits);

  /**
   * Checks at the end that the log is complete.
   *
   * @throws GitLogException if the source has failed
   */
  void finish();

  @Override
  void close();
}
