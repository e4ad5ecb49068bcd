package io.github.stablecut.examples.cities;

import io.github.stablecut.examples.web.PageCommand;
import java.nio.file.Path;
import picocli.CommandLine.Command;

/** {@code examples/run cities}. */
@Command(
    name = "cities",
    description = {
      "Shows three data centres side by side on a page: posts, comments, likes, and seats that are"
          + " never sold twice. Cut the cables between them, and see what keeps working.",
      "The stores are in a temporary directory that is deleted at the end."
    })
public final class CitiesCommand extends PageCommand {
  /** Made by the command line. */
  public CitiesCommand() {}

  @Override
  protected ServedApp open(Path directory) {
    Cities cities = Cities.open(directory);
    return new ServedApp(CitiesPage.of(cities), cities::close);
  }
}
