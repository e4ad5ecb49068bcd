package io.github.stablecut.cluster.command;

import io.github.stablecut.NotAStoreException;
import io.github.stablecut.StoreInUseException;
import io.github.stablecut.error.StablecutException;
import java.util.function.IntSupplier;
import picocli.CommandLine.Model.CommandSpec;

/** Exit codes of commands that only read: 1 is kept for damage. */
final class Offline {
  private static final int NO_STORE = 2;

  private Offline() {}

  /** Runs a command; 2 and a line on standard error if there is no store, or it is in use. */
  static int run(CommandSpec spec, IntSupplier command) {
    try {
      return command.getAsInt();
    } catch (NotAStoreException | StoreInUseException e) {
      return refused(spec, e);
    }
  }

  private static int refused(CommandSpec spec, StablecutException e) {
    spec.commandLine().getErr().println("error: " + e.getMessage());
    return NO_STORE;
  }
}
