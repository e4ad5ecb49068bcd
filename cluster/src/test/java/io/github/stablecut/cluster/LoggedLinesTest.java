package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The installed logging configuration writes one line for each message, also of libraries. */
class LoggedLinesTest {
  @Test
  void replacesControlCharactersInMessagesOfLibraries() throws JoranException {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Path.of("dist/src/main/conf/logback.xml").toFile());
    ConsoleAppender<ILoggingEvent> console =
        (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("console");
    LoggingEvent event =
        new LoggingEvent(
            "",
            context.getLogger("akka.remote"),
            Level.WARN,
            "from \r\n2026-11-28 ERROR forged\u001b[31m\u0085\u2028\u202e\u2066é",
            null,
            null);

    String written = new String(console.getEncoder().encode(event), UTF_8);

    assertThat(written)
        .endsWith(
            "WARN  akka.remote - from ??2026-11-28 ERROR forged?[31m????é"
                + System.lineSeparator());
    context.stop();
  }
}
