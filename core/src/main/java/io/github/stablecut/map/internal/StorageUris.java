package io.github.stablecut.map.internal;

import io.github.stablecut.Stablecut;
import io.github.stablecut.error.NoConnectorException;
import io.github.stablecut.map.storage.RecordStorage;
import io.github.stablecut.map.storage.RecordStorageProvider;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Opens storages by their URIs. */
public final class StorageUris {
  private static final String SCHEME = "stablecut";
  private static final String TLS = SCHEME + "+tls";
  private static final Pattern DURABILITY =
      Pattern.compile("(batch)|(group|periodic)\\((\\d{1,5})(ms|s)\\)");

  private StorageUris() {}

  public static RecordStorage open(String text) {
    URI uri = parse(text);
    if (TLS.equals(uri.getScheme()) || (SCHEME.equals(uri.getScheme()) && hasServers(uri))) {
      return new StoreRecords(Stablecut.connect(text), true);
    }
    if (SCHEME.equals(uri.getScheme())) {
      return openStore(uri);
    }
    for (RecordStorageProvider provider : ServiceLoader.load(RecordStorageProvider.class)) {
      if (provider.scheme().equals(uri.getScheme())) {
        return provider.open(uri);
      }
    }
    throw new NoConnectorException(
        "no storage on the class path has the scheme of %s: use stablecut:DIRECTORY, or put the storage's jar on the class path"
            .formatted(uri));
  }

  private static URI parse(String text) {
    try {
      URI uri = new URI(text);
      if (uri.getRawFragment() != null) {
        throw new IllegalArgumentException(
            "%s has a fragment, #%s, which has no meaning here: omit it, or write %%23 for a # in a name"
                .formatted(text, uri.getRawFragment()));
      }
      if (uri.getScheme() != null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "not a URI: %s (%s): use one such as stablecut:data".formatted(text, e.getReason()), e);
    }
    throw new IllegalArgumentException(
        "a URI without a scheme: %s: use one such as stablecut:data".formatted(text));
  }

  private static boolean hasServers(URI uri) {
    return uri.getRawAuthority() != null;
  }

  private static RecordStorage openStore(URI uri) {
    String[] parts = uri.getRawSchemeSpecificPart().split("\\?", 2);
    if (parts[0].isEmpty() || parts[0].startsWith("//")) {
      throw new IllegalArgumentException(
          "%s names no directory and no server: use stablecut:DIRECTORY or stablecut://HOST:PORT"
              .formatted(uri));
    }
    StoreOptions options = StoreOptions.defaults();
    for (Map.Entry<String, String> setting :
        settings(uri, parts.length == 1 ? "" : parts[1]).entrySet()) {
      options = with(options, uri, setting.getKey(), setting.getValue());
    }
    return new StoreRecords(Stablecut.open(Path.of(decoded(parts[0])), options), true);
  }

  /** Decodes the percent-encoding in a part of a URI. */
  private static String decoded(String part) {
    return URI.create("x:_" + part).getSchemeSpecificPart().substring(1);
  }

  private static Map<String, String> settings(URI uri, String query) {
    Map<String, String> settings = new TreeMap<>();
    for (String setting : query.isEmpty() ? new String[0] : query.split("&")) {
      String[] sides = setting.split("=", 2);
      if (sides.length < 2) {
        throw new IllegalArgumentException(
            "%s: %s is not a setting: use NAME=VALUE".formatted(uri, setting));
      }
      if (settings.put(decoded(sides[0]), decoded(sides[1])) != null) {
        throw new IllegalArgumentException(
            "%s: %s is set twice: set it once".formatted(uri, sides[0]));
      }
    }
    return settings;
  }

  private static StoreOptions with(StoreOptions options, URI uri, String name, String value) {
    return switch (name) {
      case "partitions" -> options.withPartitions(partitions(uri, value));
      case "value-bytes" -> options.withLimits(limits(options, number(uri, name, value)));
      case "durability" -> options.withDurability(durability(uri, value));
      default ->
          throw new IllegalArgumentException(
              "%s: there is no setting %s: use partitions, durability or value-bytes"
                  .formatted(uri, name));
    };
  }

  /** Returns limits with which a transaction can write a record of the maximum size. */
  private static StoreOptions.Limits limits(StoreOptions options, int valueBytes) {
    int transactionBytes = Math.max(options.limits().transactionBytes(), valueBytes);
    return options.limits().withTransactionBytes(transactionBytes).withValueBytes(valueBytes);
  }

  private static int partitions(URI uri, String value) {
    int partitions = number(uri, "partitions", value);
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "%s: a store has at least 1 partition, not %d".formatted(uri, partitions));
    }
    return partitions;
  }

  private static int number(URI uri, String name, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: %s=%s is not a number".formatted(uri, name, value), e);
    }
  }

  private static Durability durability(URI uri, String value) {
    Matcher matcher = DURABILITY.matcher(value);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "%s: durability=%s: use batch, group(10ms) or periodic(1s)".formatted(uri, value));
    }
    if (matcher.group(1) != null) {
      return Durability.batch();
    }
    long count = Long.parseLong(matcher.group(3));
    Duration time =
        matcher.group(4).equals("s") ? Duration.ofSeconds(count) : Duration.ofMillis(count);
    return matcher.group(2).equals("group") ? Durability.group(time) : Durability.periodic(time);
  }
}
