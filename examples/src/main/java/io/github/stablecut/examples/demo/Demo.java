package io.github.stablecut.examples.demo;

import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.terminal.Terminal;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./stablecut demo}: what the store does, in plain words. */
@Command(
    name = "./stablecut demo",
    description = {
      "Shows what the store does, then kills a JVM under load and looks whether anything is lost.",
      "Works in a temporary directory. Exit code 1 if anything is lost."
    })
public final class Demo implements Callable<Integer> {
  private static final int LOST = 1;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this help")
  @SuppressWarnings("unused") // the command line reads it
  private boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "how often to kill; default ${DEFAULT-VALUE}")
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
    Narrator narrator = new Narrator(spec.commandLine().getOut(), Terminal.ofProcess());
    try (TemporaryDirectory directory = TemporaryDirectory.create("stablecut-demo-")) {
      narrator.title("Stablecut: a datastore of CRDTs inside your JVM");
      narrator.say("Until it ends, the stores of this demo are in\n" + directory.path());
      new Story(narrator).tell(directory.path().resolve("story"));
      KillTrial trial = new KillTrial(narrator, directory.path(), new Random());
      return trial.run(rounds) ? 0 : LOST;
    }
  }
}
