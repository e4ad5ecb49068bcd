package io.github.stablecut.examples.verification;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code verification settled}. */
@Command(
    name = "settled",
    description = {
      "Copies a history of adya without the reads of lists to which the same transaction has"
          + " appended before."
    })
final class SettledCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "HISTORY", description = "the history")
  private Path history = Path.of("");

  @Parameters(index = "1", paramLabel = "COPY", description = "the file to write")
  private Path copy = Path.of("");

  @Override
  public Integer call() throws Exception {
    try (BufferedReader in = Files.newBufferedReader(history, UTF_8);
        BufferedWriter out = Files.newBufferedWriter(copy, UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.write(SettledHistory.line(line));
        out.newLine();
      }
    }
    return 0;
  }
}
