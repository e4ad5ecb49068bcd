package io.github.stablecut.journal;

import io.github.stablecut.file.NativeAccess;
import java.util.ArrayList;
import java.util.List;

/**
 * The JVM flags with which the journal uses Chronicle Queue ({@link SegmentLayout}). Chronicle uses
 * internals of the JDK.
 */
public final class JvmFlags {
  private static final int FIRST_JDK_THAT_WARNS = 24;

  private static final String CHRONICLE = "net/openhft/chronicle/queue/ChronicleQueue.class";

  private JvmFlags() {}

  /**
   * Whether Chronicle Queue is on the class path, and may use what it needs without a warning.
   * Loads no class of Chronicle.
   */
  static boolean allowChronicle() {
    Module base = Object.class.getModule();
    Module ownModule = JvmFlags.class.getModule();
    return base.isOpen("java.lang.reflect", ownModule)
        && base.isOpen("sun.nio.ch", ownModule)
        && NativeAccess.isSilent()
        && JvmFlags.class.getClassLoader().getResource(CHRONICLE) != null;
  }

  /**
   * Checks that Chronicle Queue can be used.
   *
   * @throws MissingJvmFlagsException if it can't
   */
  static void requireChronicle() {
    if (!allowChronicle()) {
      throw new MissingJvmFlagsException(
          "the system property %s selects Chronicle Queue, which is not on the class path, or lacks access to internals of the JDK: add chronicle-queue, and to the command line %s; or remove the property"
              .formatted(SegmentLayout.PROPERTY, String.join(" ", all())));
    }
  }

  /** The flags for this version of the JDK, including those that only prevent warnings. */
  public static List<String> all() {
    List<String> flags = new ArrayList<>();
    flags.add("--add-opens=java.base/java.lang.reflect=ALL-UNNAMED");
    flags.add("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    flags.add("--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED");
    if (Runtime.version().feature() >= FIRST_JDK_THAT_WARNS) {
      flags.add("--enable-native-access=ALL-UNNAMED");
      flags.add("--sun-misc-unsafe-memory-access=allow");
    }
    return List.copyOf(flags);
  }
}
