package io.github.stablecut.option;

import io.github.stablecut.error.DurationWords;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The options of a connection to a server: the timeout and, for {@code stablecut+tls} addresses,
 * the certificates. Without a context and files, TLS uses the key and trust stores of the JVM's
 * properties ({@code javax.net.ssl.trustStore} and so on). Immutable.
 *
 * @param timeout how long the server may be silent during a call; 1 s to 9,999 s, default 1 min
 * @param context a TLS context to use instead of files; empty for none
 * @param authority a PEM file with the certificates of the authorities that the client trusts
 * @param identity the client's certificate, for servers that require one
 */
public record ConnectOptions(
    Duration timeout,
    Optional<SSLContext> context,
    Optional<Path> authority,
    Optional<Identity> identity) {
  private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(9_999);

  /** The timeout is longer than the timeouts that servers have by default. */
  private static final ConnectOptions DEFAULTS =
      new ConnectOptions(
          Duration.ofMinutes(1), Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * A client's certificate and its key, as PEM files. Immutable.
   *
   * @param certificate the certificate, followed by those of intermediate authorities
   * @param key the private key: PKCS#8, without a password
   */
  public record Identity(Path certificate, Path key) {
    /** Checks for nulls. */
    public Identity {
      Objects.requireNonNull(certificate, "certificate");
      Objects.requireNonNull(key, "key");
    }
  }

  /** Checks the timeout, and that there is either a context or files. */
  public ConnectOptions {
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(context, "context");
    Objects.requireNonNull(authority, "authority");
    Objects.requireNonNull(identity, "identity");
    if (timeout.compareTo(MIN_TIMEOUT) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "the timeout of a connection must be %s to %s, not %s"
              .formatted(
                  DurationWords.of(MIN_TIMEOUT),
                  DurationWords.of(MAX_TIMEOUT),
                  DurationWords.of(timeout)));
    }
    if (context.isPresent() && (authority.isPresent() || identity.isPresent())) {
      throw new IllegalArgumentException(
          "a connection has either a TLS context or files with certificates, not both");
    }
  }

  /** A timeout of a minute, and the JVM's key and trust stores. */
  public static ConnectOptions defaults() {
    return DEFAULTS;
  }

  /** Sets how long the server may be silent during a call. */
  public ConnectOptions withTimeout(Duration silence) {
    return new ConnectOptions(silence, context, authority, identity);
  }

  /** Sets the TLS context. The server's certificate must still be valid for its host. */
  public ConnectOptions withContext(SSLContext tls) {
    return new ConnectOptions(timeout, Optional.of(tls), authority, identity);
  }

  /** Trusts only the authorities in a PEM file, which is read when the store connects. */
  public ConnectOptions withAuthority(Path file) {
    return new ConnectOptions(timeout, context, Optional.of(file), identity);
  }

  /** Sets the client's certificate and key, which are read when the store connects. */
  public ConnectOptions withIdentity(Path certificate, Path key) {
    return new ConnectOptions(
        timeout, context, authority, Optional.of(new Identity(certificate, key)));
  }

  /** Whether the options configure TLS. */
  public boolean hasTls() {
    return context.isPresent() || authority.isPresent() || identity.isPresent();
  }
}
