package io.github.stablecut.examples.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.terminal.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/** Prints the demo: headings, text, code and results, at most 80 columns wide. */
final class Narrator {
  private static final String INDENT = "   ";
  private static final String CODE_INDENT = INDENT + "| ";

  private final PrintWriter out;
  private final Terminal terminal;
  private int chapter;
  private boolean afterGap = true;

  Narrator(PrintWriter out, Terminal terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  void title(String text) {
    line(terminal.bold(text));
  }

  /** Starts a chapter. */
  void chapter(String heading) {
    chapter++;
    gap();
    line(terminal.bold(chapter + ". " + heading));
  }

  /** Prints plain text, with its lines as given. */
  void say(String text) {
    for (String line : text.lines().toList()) {
      if (line.isEmpty()) {
        gap();
      } else {
        line(INDENT + line);
      }
    }
  }

  /** Prints a result. */
  void result(String text) {
    line(INDENT + terminal.green("=> " + text));
  }

  /** Prints an unexpected result. */
  void fault(String text) {
    line(INDENT + terminal.red("!! " + text));
  }

  /**
   * Prints the code that is run next: the part of a class's source between the comments {@code //
   * show name} and {@code // end}, so the demo shows exactly what it runs.
   */
  void show(Class<?> type, String name) {
    List<String> code =
        source(type)
            .lines()
            .dropWhile(line -> !line.strip().equals("// show " + name))
            .skip(1)
            .takeWhile(line -> !line.strip().equals("// end"))
            .toList();
    if (code.isEmpty()) {
      throw new IllegalArgumentException("no part " + name + " in the source of " + type);
    }
    gap();
    String.join("\n", code)
        .stripIndent()
        .lines()
        .forEach(line -> line(CODE_INDENT + terminal.cyan(line)));
    gap();
  }

  private void line(String text) {
    out.println(text);
    afterGap = false;
  }

  private void gap() {
    if (!afterGap) {
      out.println();
      afterGap = true;
    }
  }

  private static String source(Class<?> type) {
    String file = type.getSimpleName() + ".java";
    try (InputStream in =
        Objects.requireNonNull(type.getResourceAsStream(file), "not packaged: " + file)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }
}
