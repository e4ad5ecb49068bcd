package io.github.stablecut.cluster.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Decides on colour and width. */
final class TerminalTest {
  private static Terminal terminal(Map<String, String> environment, String... terminals) {
    Properties properties = new Properties();
    for (String name : terminals) {
      properties.setProperty("stablecut." + name, "terminal");
    }
    return Terminal.of(environment, properties);
  }

  @Test
  void isPlainUnlessTheOutputIsATerminal() {
    assertThat(terminal(Map.of("TERM", "xterm"))).isEqualTo(new Terminal(false, false, 80));
    assertThat(terminal(Map.of(), "stdout")).isEqualTo(new Terminal(true, false, 80));
    assertThat(terminal(Map.of(), "stderr")).isEqualTo(new Terminal(false, true, 80));
  }

  @Test
  void obeysNoColorAndDumbTerminals() {
    assertThat(terminal(Map.of("NO_COLOR", "1"), "stdout", "stderr"))
        .isEqualTo(new Terminal(false, true, 80));
    assertThat(terminal(Map.of("NO_COLOR", ""), "stdout").colour()).isTrue();
    assertThat(terminal(Map.of("TERM", "dumb"), "stdout", "stderr"))
        .isEqualTo(new Terminal(false, false, 80));
  }

  @Test
  void putsEscapesAroundTextsOnlyIfThereIsColour() {
    assertThat(new Terminal(false, false, 80).bold("x")).isEqualTo("x");
    assertThat(new Terminal(true, false, 80).bold("x")).isEqualTo("\u001b[1mx\u001b[0m");
  }

  @Test
  void hasTheWidthThatTheScriptReports() {
    Properties properties = new Properties();
    properties.setProperty("stablecut.columns", "132");
    assertThat(Terminal.of(Map.of(), properties).columns()).isEqualTo(132);

    properties.setProperty("stablecut.columns", "wide");
    assertThat(Terminal.of(Map.of(), properties).columns()).isEqualTo(80);
  }
}
