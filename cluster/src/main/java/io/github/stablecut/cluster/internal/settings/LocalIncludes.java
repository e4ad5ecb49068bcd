package io.github.stablecut.cluster.internal.settings;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import io.github.stablecut.cluster.SettingsException;
import java.io.File;
import java.net.URL;
import java.nio.file.Path;

/** Restricts the includes of a settings file to local files. Immutable. */
final class LocalIncludes
    implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {
  private final Path folder;

  /**
   * @param folder the folder that relative file names are resolved against
   */
  LocalIncludes(Path folder) {
    this.folder = folder;
  }

  @Override
  public ConfigIncluder withFallback(ConfigIncluder ignored) {
    return this;
  }

  /** Includes a file: that is what a name without a kind means. */
  @Override
  public ConfigObject include(ConfigIncludeContext context, String name) {
    if (name.matches("[A-Za-z][A-Za-z0-9+.-]+:.*")) {
      throw refused(name);
    }
    return includeFile(context, new File(name));
  }

  @Override
  public ConfigObject includeFile(ConfigIncludeContext context, File file) {
    File found = folder.resolve(file.toPath()).toFile();
    return ConfigFactory.parseFile(found, context.parseOptions().setIncluder(this)).root();
  }

  @Override
  public ConfigObject includeURL(ConfigIncludeContext context, URL url) {
    throw refused(url.toString());
  }

  @Override
  public ConfigObject includeResources(ConfigIncludeContext context, String name) {
    throw refused(name);
  }

  private static SettingsException refused(String what) {
    return new SettingsException(
        "a settings file includes %s: only local files can be included, such as include \"other.conf\""
            .formatted(what));
  }
}
