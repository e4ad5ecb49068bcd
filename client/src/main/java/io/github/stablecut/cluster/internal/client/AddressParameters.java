package io.github.stablecut.cluster.internal.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.option.ConnectOptions;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The parameters of a store's address: {@code timeout} in seconds, and the PEM files {@code
 * authority}, {@code certificate} and {@code key}, such as {@code
 * stablecut+tls://db1:8087?timeout=30&authority=/etc/app/ca.crt}. Special characters are
 * percent-encoded.
 */
final class AddressParameters {
  private static final Set<String> NAMES = Set.of("timeout", "authority", "certificate", "key");

  private AddressParameters() {}

  /**
   * Adds the parameters of an address to options, of which they replace those of the same name.
   *
   * @throws RequestRefusedException if a parameter is unknown, occurs twice or has an invalid value
   */
  static ConnectOptions of(URI uri, ConnectOptions options) {
    if (uri.getRawQuery() == null) {
      return options;
    }
    Map<String, String> values = parse(uri);
    if (values.containsKey("certificate") != values.containsKey("key")) {
      throw refused(uri, "a certificate needs its key, and a key its certificate");
    }
    try {
      ConnectOptions made = options;
      if (values.containsKey("timeout")) {
        if (!values.get("timeout").matches("[1-9][0-9]{0,3}")) {
          throw refused(uri, "timeout is a number of seconds from 1 to 9999");
        }
        made = made.withTimeout(Duration.ofSeconds(Integer.parseInt(values.get("timeout"))));
      }
      if (values.containsKey("authority")) {
        made = made.withAuthority(Path.of(values.get("authority")));
      }
      if (values.containsKey("key")) {
        made = made.withIdentity(Path.of(values.get("certificate")), Path.of(values.get("key")));
      }
      return made;
    } catch (InvalidPathException e) {
      throw refused(uri, "no file can have the name \"" + e.getInput() + "\"");
    } catch (IllegalArgumentException e) {
      throw refused(uri, String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, String> parse(URI uri) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String parameter : uri.getRawQuery().split("&", -1)) {
      int equals = parameter.indexOf('=');
      String name = equals < 0 ? parameter : parameter.substring(0, equals);
      if (equals < 0 || !NAMES.contains(name) || values.containsKey(name)) {
        throw refused(uri, "invalid parameter \"" + parameter + "\"");
      }
      // URLDecoder is for forms, where a plus means a space.
      String value = parameter.substring(equals + 1).replace("+", "%2B");
      values.put(name, URLDecoder.decode(value, UTF_8));
    }
    return values;
  }

  private static RequestRefusedException refused(URI uri, String why) {
    return new RequestRefusedException(
        "%s: %s; the parameters of a store's address are timeout (seconds from 1 to 9999), authority, certificate and key (PEM files), each at most once, such as stablecut+tls://127.0.0.1:8087?timeout=30&authority=ca.crt"
            .formatted(uri, why),
        null);
  }
}
