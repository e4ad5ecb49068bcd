package io.github.stablecut.examples.advertising;

import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.examples.web.PageCommand;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code examples/run advertising}. */
@Command(
    name = "advertising",
    description = {
      "Records views of web pages durably at a fixed rate, and plots their number and latency on a"
          + " page, without and with an analysis that reads all of them at one snapshot.",
      "The store is in a temporary directory that is deleted at the end."
    })
public final class AdvertisingCommand extends PageCommand {
  private static final int MOST = 1_000_000;

  @Option(
      names = "--pages",
      paramLabel = "N",
      defaultValue = "10000",
      description = "number of pages, each a stream; default ${DEFAULT-VALUE}")
  private int pages;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "10000",
      description = "views per second; default ${DEFAULT-VALUE}")
  private int perSecond;

  /** Made by the command line. */
  public AdvertisingCommand() {}

  @Override
  protected ServedApp open(Path directory) {
    if (pages < 1 || pages > MOST || perSecond < 1 || perSecond > MOST) {
      throw new SettingsException(
          "--pages and --rate must be 1 to 1,000,000, not %,d and %,d".formatted(pages, perSecond));
    }
    Advertising advertising = Advertising.open(directory, pages, perSecond, Duration.ofSeconds(1));
    return new ServedApp(AdvertisingPage.of(advertising), advertising::close);
  }
}
