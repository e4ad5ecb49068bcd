package io.github.stablecut.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.stablecut.error.StoreIoException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A log message is one line, whatever its arguments contain. */
class LogTest {
  private static final String FORGED = "x\r\n2026-11-28 ERROR forged\u001b[31m\u202e";
  private static final String ESCAPED = "x\\r\\n2026-11-28 ERROR forged\\u001b[31m\\u202e";

  private final Logger target = (Logger) LoggerFactory.getLogger(LogTest.class);
  private final ListAppender<ILoggingEvent> events =
      new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
          // Captured from the stack of the logging thread.
          event.getCallerData();
          super.append(event);
        }
      };
  private final org.slf4j.Logger log = Log.of(LogTest.class);

  @BeforeEach
  void listen() {
    target.setLevel(Level.DEBUG);
    target.setAdditive(false);
    events.start();
    target.addAppender(events);
  }

  @AfterEach
  void end() {
    target.detachAppender(events);
    target.setAdditive(true);
    target.setLevel(null);
  }

  private String written(String pattern) {
    PatternLayout layout = new PatternLayout();
    layout.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    layout.setPattern(pattern);
    layout.start();
    return layout.doLayout(events.list.get(events.list.size() - 1));
  }

  @Test
  void argumentsAreEscaped() {
    log.warn("a descriptor {} of {} is refused", FORGED, 3);

    assertThat(written("%level %msg"))
        .isEqualTo("WARN a descriptor " + ESCAPED + " of 3 is refused");
  }

  @Test
  void aMessageThatIsNotConstantIsEscaped() {
    log.info(FORGED);

    assertThat(written("%level %msg")).isEqualTo("INFO " + ESCAPED);
  }

  @Test
  void anArgumentIsNotUsedAsAPattern() {
    log.error("{} and {}", "{}", "b");

    assertThat(written("%msg")).isEqualTo("{} and b");
  }

  @Test
  void longArgumentsAreCut() {
    log.debug("of {} only the start", "y".repeat(1_000_000));

    assertThat(written("%msg"))
        .hasSizeLessThan(4_100)
        .endsWith("y… (1,000,000 characters) only the start");
  }

  @Test
  void exceptionsAreEscapedWithTheirCauses() {
    Exception inner = new IOException(FORGED);
    Exception thrown = new IllegalStateException("outer", inner);
    thrown.addSuppressed(new IllegalArgumentException(FORGED));
    inner.addSuppressed(thrown);

    log.error("it has failed", thrown);

    String written = written("%msg%n%ex");
    assertThat(written)
        .contains("java.lang.IllegalStateException: outer")
        .contains("java.io.IOException: " + ESCAPED)
        .contains("java.lang.IllegalArgumentException: " + ESCAPED)
        .contains("at io.github.stablecut.log.LogTest.exceptionsAreEscapedWithTheirCauses")
        .doesNotContain(FORGED, "\u001b", "\n2026-11-28");
  }

  @Test
  void anExceptionWithNothingToEscapeIsLoggedUnchanged() {
    log.warn("it has failed", new IOException("plain"));

    assertThat(written("%ex")).startsWith("java.io.IOException: plain");
  }

  @Test
  void failuresOfTheEnvironmentHaveNoStackTrace() {
    target.setLevel(Level.INFO);
    IOException io = new IOException("the disk\r fails");

    log.error("can't write", new StoreIoException("the journal can't be written", io));
    assertThat(written("%msg%ex")).isEqualTo("can't write: the journal can't be written");
    log.error("can't read", new CompletionException(new UncheckedIOException(io)));
    assertThat(written("%msg%ex")).isEqualTo("can't read: the disk\\r fails");
    log.error("{}", "the disk is full", new IOException("the disk is full"));
    assertThat(written("%msg%ex")).isEqualTo("the disk is full");
  }

  @Test
  void faultsOfTheProgramHaveTheirStackTraceEvenBehindAMessageForOperators() {
    target.setLevel(Level.INFO);

    log.error("it fails", new StoreIoException("it can't go on", new NullPointerException()));

    assertThat(written("%msg%ex"))
        .startsWith("it fails")
        .contains("java.lang.NullPointerException", "at io.github.stablecut.log.LogTest");
  }

  @Test
  void theCallersLocationIsPreserved() {
    log.warn("here");

    assertThat(written("%class %method"))
        .isEqualTo(LogTest.class.getName() + " theCallersLocationIsPreserved");
  }

  @Test
  void disabledLevelsAreNotWritten() {
    target.setLevel(Level.WARN);

    log.info("not this");

    assertThat(log.isInfoEnabled()).isFalse();
    assertThat(log.isWarnEnabled()).isTrue();
    assertThat(events.list).isEmpty();
  }
}
