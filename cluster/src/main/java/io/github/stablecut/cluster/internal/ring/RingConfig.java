package io.github.stablecut.cluster.internal.ring;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Akka's settings: those of the file {@value #FILE} and of the node, and nothing of the host's. */
final class RingConfig {
  private static final String FILE = "stablecut-akka.conf";

  private RingConfig() {}

  static Config of(RingSettings.Endpoint endpoint) {
    Map<String, Object> own = new HashMap<>();
    own.put("akka.remote.artery.canonical.hostname", endpoint.host());
    own.put("akka.remote.artery.canonical.port", endpoint.port());
    own.put("akka.remote.artery.bind.hostname", endpoint.host());
    own.put("akka.remote.artery.bind.port", endpoint.listenPort());
    endpoint
        .tls()
        .ifPresent(
            tls -> {
              String engine = "akka.remote.artery.ssl.rotating-keys-engine.";
              own.put(engine + "cert-file", absolute(tls.certificate()));
              own.put(engine + "key-file", absolute(tls.key()));
              own.put(engine + "ca-cert-file", absolute(tls.authority()));
            });
    ClassLoader loader = RingConfig.class.getClassLoader();
    return ConfigFactory.parseMap(own)
        .withFallback(ConfigFactory.parseResources(loader, FILE))
        .withFallback(ConfigFactory.parseResources(loader, "reference.conf"))
        .resolve(ConfigResolveOptions.defaults().setAllowUnresolved(false));
  }

  private static String absolute(Path file) {
    return file.toAbsolutePath().toString();
  }
}
