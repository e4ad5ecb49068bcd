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
   * The settings of a file.
   *
   * @param file HOCON; empty for none
   * @param overrides settings by their names in the file, which count more than it, such as {@code
   *     port}
   * @throws SettingsException if the file can't be read, or a setting is unknown or wrong
   */
  public static ServerSettings load(Optional<Path> file, Map<String, ?> overrides) {
    return SettingsFile.read(file, overrides);
  }
}
