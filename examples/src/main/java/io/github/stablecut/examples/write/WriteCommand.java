package io.github.stablecut.examples.write;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.examples.trace.Trace;
import io.github.stablecut.examples.trace.TraceException;
import io.github.stablecut.examples.trace.TraceReader;
import io.github.stablecut.examples.web.PageCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code examples/run write}. */
@Command(
    name = "write",
    description = {
      "Shows a page with a text that people in two data centres edit concurrently. Open it in"
          + " several browsers, cut the cable, keep writing, and look at the past.",
      "The stores are in a temporary directory that is deleted at the end."
    })
public final class WriteCommand extends PageCommand {
  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "an editing trace (as for examples/run trace) that the page can replay")
  private @Nullable Path file;

  @Option(
      names = "--speed",
      paramLabel = "N",
      defaultValue = "200",
      description = "transactions of the trace per second; default ${DEFAULT-VALUE}")
  private int perSecond;

  /** Made by the command line. */
  public WriteCommand() {}

  @Override
  protected ServedApp open(Path directory) throws IOException {
    if (perSecond < 1 || perSecond > 100_000) {
      throw new SettingsException("--speed must be 1 to 100,000, not " + perSecond);
    }
    Desks desks = Desks.open(directory, trace(), perSecond);
    return new ServedApp(WritePage.of(desks), desks::close);
  }

  private Optional<Trace> trace() throws IOException {
    if (file == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(TraceReader.read(file).ofOneAuthor());
    } catch (TraceException e) {
      throw new SettingsException("--trace: " + e.getMessage());
    }
  }
}
