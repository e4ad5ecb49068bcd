package io.github.stablecut.cluster.internal.akka;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import java.util.HashMap;
import java.util.Map;

/**
 * Akka's settings: the file {@value #FILE} and the node's settings, isolated from the
 * application's.
 */
final class AkkaConfig {
  private static final String FILE = "stablecut-akka.conf";

  private AkkaConfig() {}

  static Config of(NodeSettings.Endpoint endpoint) {
    Map<String, Object> own = new HashMap<>();
    own.put("akka.remote.artery.canonical.hostname", endpoint.host());
    own.put("akka.remote.artery.canonical.port", endpoint.port());
    own.put("akka.remote.artery.bind.hostname", endpoint.host());
    own.put("akka.remote.artery.bind.port", endpoint.listenPort());
    ClassLoader loader = AkkaConfig.class.getClassLoader();
    return ConfigFactory.parseMap(own)
        .withFallback(ConfigFactory.parseResources(loader, FILE))
        .withFallback(ConfigFactory.parseResources(loader, "reference.conf"))
        .resolve(ConfigResolveOptions.defaults().setAllowUnresolved(false));
  }
}
