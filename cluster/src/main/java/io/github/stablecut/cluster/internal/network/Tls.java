package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.SettingsException;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** TLS of the server, configured by PEM files. Immutable. */
public final class Tls {
  private final SslContext context;

  /**
   * Reads the files.
   *
   * @param certificate the server's certificate chain
   * @param key its private key, in PKCS#8 without a password
   * @param clientAuthority if present, clients must have a certificate of this authority
   * @throws SettingsException if a file is missing or is not what it should be, or the key belongs
   *     to another certificate
   */
  public Tls(Path certificate, Path key, Optional<Path> clientAuthority) {
    check(certificate);
    check(key);
    clientAuthority.ifPresent(Tls::check);
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(certificate.toFile(), key.toFile())
              .protocols(List.of("TLSv1.3", "TLSv1.2"));
      this.context =
          clientAuthority
              .map(ca -> builder.trustManager(ca.toFile()).clientAuth(ClientAuth.REQUIRE))
              .orElse(builder)
              .build();
      CertifiedKey.check(certificate, key);
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw failed(certificate, key, e);
    }
  }

  /**
   * Creates a context for mutual TLS: both ends present certificates of one authority.
   *
   * @throws SettingsException if a file is missing or is not what it should be
   */
  public static SSLContext mutual(Path certificate, Path key, Path authority) {
    check(certificate);
    check(key);
    check(authority);
    try {
      SslContext context =
          SslContextBuilder.forServer(certificate.toFile(), key.toFile())
              .sslProvider(SslProvider.JDK)
              .trustManager(authority.toFile())
              .build();
      CertifiedKey.check(certificate, key);
      return ((JdkSslContext) context).context();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw failed(certificate, key, e);
    }
  }

  private static SettingsException failed(Path certificate, Path key, Exception cause) {
    return new SettingsException(
        "TLS can't be set up from %s and %s: %s; both are PEM files, the key is PKCS#8 without a password"
            .formatted(certificate, key, cause.getMessage()),
        cause);
  }

  private static void check(Path file) {
    if (!Files.isReadable(file)) {
      throw new SettingsException(
          "the file " + file + " can't be read: name an existing, readable file");
    }
  }

  SslHandler handler(ByteBufAllocator allocator) {
    return context.newHandler(allocator);
  }
}
