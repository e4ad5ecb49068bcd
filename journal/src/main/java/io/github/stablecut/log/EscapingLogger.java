package io.github.stablecut.log;

import io.github.stablecut.error.PrintableText;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.CallerBoundaryAware;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Escapes messages and forwards them to another logger. The stack trace of a failure of the
 * environment is logged only at the level DEBUG; otherwise its message ends the line. Thread-safe.
 */
final class EscapingLogger extends AbstractLogger {
  /** The maximum length of an argument, or of an exception's message. */
  static final int MAX_CHARS = 4_000;

  private static final long serialVersionUID = 1L;

  private final transient Logger target;

  EscapingLogger(Logger target) {
    this.target = target;
    this.name = target.getName();
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable thrown) {
    LoggingEventBuilder event = target.makeLoggingEventBuilder(level);
    if (event instanceof CallerBoundaryAware aware) {
      aware.setCallerBoundary(AbstractLogger.class.getName());
    }
    if (marker != null) {
      event = event.addMarker(marker);
    }
    String message = message(pattern, arguments);
    if (thrown != null) {
      Optional<String> words = ExpectedFailure.words(thrown).filter(any -> !isDebugEnabled());
      if (words.isPresent()) {
        message = withWords(message, PrintableText.of(words.get(), MAX_CHARS));
      } else {
        event = event.setCause(EscapedThrowable.unlessPrintable(thrown));
      }
    }
    event.log(message);
  }

  /** Appends the reason of a failure, unless the message contains it. */
  private static String withWords(String message, String words) {
    return message.contains(words) ? message : message + ": " + words;
  }

  private static String message(String pattern, Object @Nullable [] arguments) {
    if (arguments == null) {
      return PrintableText.of(pattern, MAX_CHARS);
    }
    Object[] escaped = new Object[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      escaped[i] = PrintableText.of(String.valueOf(arguments[i]), MAX_CHARS);
    }
    return MessageFormatter.basicArrayFormat(pattern, escaped);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  public boolean isTraceEnabled() {
    return target.isTraceEnabled();
  }

  @Override
  public boolean isTraceEnabled(Marker marker) {
    return target.isTraceEnabled(marker);
  }

  @Override
  public boolean isDebugEnabled() {
    return target.isDebugEnabled();
  }

  @Override
  public boolean isDebugEnabled(Marker marker) {
    return target.isDebugEnabled(marker);
  }

  @Override
  public boolean isInfoEnabled() {
    return target.isInfoEnabled();
  }

  @Override
  public boolean isInfoEnabled(Marker marker) {
    return target.isInfoEnabled(marker);
  }

  @Override
  public boolean isWarnEnabled() {
    return target.isWarnEnabled();
  }

  @Override
  public boolean isWarnEnabled(Marker marker) {
    return target.isWarnEnabled(marker);
  }

  @Override
  public boolean isErrorEnabled() {
    return target.isErrorEnabled();
  }

  @Override
  public boolean isErrorEnabled(Marker marker) {
    return target.isErrorEnabled(marker);
  }
}
