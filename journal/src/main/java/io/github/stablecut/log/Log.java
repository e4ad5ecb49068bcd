package io.github.stablecut.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loggers of this project. */
public final class Log {
  private Log() {}

  /**
   * The logger of a class. It escapes and truncates the arguments of messages, and the messages of
   * exceptions and their causes. A message is therefore one line, whatever a client, a file or
   * another node put into it. Thread-safe.
   */
  public static Logger of(Class<?> type) {
    return new EscapingLogger(LoggerFactory.getLogger(type));
  }
}
