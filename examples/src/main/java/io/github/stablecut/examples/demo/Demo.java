package io.github.stablecut.examples.demo;

import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.ShellCommand;
import io.github.stablecut.cluster.terminal.Terminal;
import io.github.stablecut.examples.TemporaryDirectory;
import java.io.IOException;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./stablecut demo}: the store's features, in plain words. */
@Command(
    name = "./stablecut demo",
    description = {
      "Shows what the store does, then kills a JVM under load and checks that nothing is lost.",
      "Works in a temporary directory. Exit code 1 if anything is lost."
    })
public final class Demo extends ShellCommand {
  private static final int LOST = 1;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "number of kills; default ${DEFAULT-VALUE}")
  private int rounds;

  Demo() {}

  /**
   * Runs the demo and ends the process with its exit code.
   *
   * @param args options
   */
  public static void main(String[] args) {
    System.exit(CommandRunner.run(new Demo(), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Narrator narrator = new Narrator(out(), Terminal.ofProcess());
    try (TemporaryDirectory directory = TemporaryDirectory.create("stablecut-demo-")) {
      narrator.title("Stablecut: a datastore of CRDTs inside your JVM");
      narrator.say("Until it ends, the stores of this demo are in\n" + directory.path());
      new Story(narrator).tell(directory.path().resolve("story"));
      KillTrial trial = new KillTrial(narrator, directory.path(), new Random());
      return trial.run(rounds) ? 0 : LOST;
    }
  }
}
