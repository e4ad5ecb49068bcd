package io.github.stablecut.cluster;

import io.github.stablecut.cluster.internal.settings.SettingsFile;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Loads the settings of a {@link Server}. */
public final class SettingsLoader {
  private SettingsLoader() {}

  /** The defaults of {@code reference.conf}, for a store in a directory. */
  public static ServerSettings defaults(Path data) {
    return load(Optional.empty(), Map.of("data", data.toString()));
  }

  /**
   * Reads the settings of a file.
   *
   * @param file a HOCON file; empty for none
   * @param overrides settings by their names in the file, such as {@code port}; they take
   *     precedence
   * @throws SettingsException if the file can't be read, or a setting is unknown or wrong
   */
  public static ServerSettings load(Optional<Path> file, Map<String, ?> overrides) {
    return SettingsFile.read(file, overrides);
  }
}
