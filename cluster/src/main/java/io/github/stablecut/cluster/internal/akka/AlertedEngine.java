package io.github.stablecut.cluster.internal.akka;

import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * An engine that reports when the peer refuses this node's certificate: TLS tells the refused side
 * by an alert, which neither Akka nor Netty shows. Forwards every call. As its engine, confined to
 * one thread at a time.
 */
final class AlertedEngine extends SSLEngine {
  /**
   * The alerts by which a peer refuses a certificate (RFC 8446, section 6.2), as the JDK names
   * them.
   */
  private static final List<String> REFUSALS =
      List.of(
          "bad_certificate",
          "unsupported_certificate",
          "certificate_revoked",
          "certificate_expired",
          "certificate_unknown",
          "unknown_ca",
          "certificate_required");

  private final SSLEngine engine;
  private final X509Certificate own;
  private final TlsRefusals refusals;

  /**
   * @param own this node's certificate
   */
  AlertedEngine(SSLEngine engine, X509Certificate own, TlsRefusals refusals) {
    this.engine = engine;
    this.own = own;
    this.refusals = refusals;
  }

  @Override
  public String getPeerHost() {
    return engine.getPeerHost();
  }

  @Override
  public int getPeerPort() {
    return engine.getPeerPort();
  }

  @Override
  public SSLEngineResult wrap(ByteBuffer[] from, int offset, int length, ByteBuffer to)
      throws SSLException {
    return engine.wrap(from, offset, length, to);
  }

  @Override
  public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int offset, int length)
      throws SSLException {
    try {
      return engine.unwrap(from, to, offset, length);
    } catch (SSLException e) {
      String message = String.valueOf(e.getMessage());
      if (REFUSALS.stream().anyMatch(message::endsWith)) {
        boolean isContacted = engine.getUseClientMode();
        String peer =
            isContacted
                ? "the node at %s:%d".formatted(engine.getPeerHost(), engine.getPeerPort())
                : "a peer that connected to this node";
        refusals.wasRefused(peer, own, isContacted);
      }
      throw e;
    }
  }

  @Override
  public Runnable getDelegatedTask() {
    return engine.getDelegatedTask();
  }

  @Override
  public void closeInbound() throws SSLException {
    engine.closeInbound();
  }

  @Override
  public boolean isInboundDone() {
    return engine.isInboundDone();
  }

  @Override
  public void closeOutbound() {
    engine.closeOutbound();
  }

  @Override
  public boolean isOutboundDone() {
    return engine.isOutboundDone();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return engine.getSupportedCipherSuites();
  }

  @Override
  public String[] getEnabledCipherSuites() {
    return engine.getEnabledCipherSuites();
  }

  @Override
  public void setEnabledCipherSuites(String[] suites) {
    engine.setEnabledCipherSuites(suites);
  }

  @Override
  public String[] getSupportedProtocols() {
    return engine.getSupportedProtocols();
  }

  @Override
  public String[] getEnabledProtocols() {
    return engine.getEnabledProtocols();
  }

  @Override
  public void setEnabledProtocols(String[] protocols) {
    engine.setEnabledProtocols(protocols);
  }

  @Override
  public SSLSession getSession() {
    return engine.getSession();
  }

  @Override
  public @Nullable SSLSession getHandshakeSession() {
    return engine.getHandshakeSession();
  }

  @Override
  public void beginHandshake() throws SSLException {
    engine.beginHandshake();
  }

  @Override
  public SSLEngineResult.HandshakeStatus getHandshakeStatus() {
    return engine.getHandshakeStatus();
  }

  @Override
  public void setUseClientMode(boolean isClient) {
    engine.setUseClientMode(isClient);
  }

  @Override
  public boolean getUseClientMode() {
    return engine.getUseClientMode();
  }

  @Override
  public void setNeedClientAuth(boolean isNeeded) {
    engine.setNeedClientAuth(isNeeded);
  }

  @Override
  public boolean getNeedClientAuth() {
    return engine.getNeedClientAuth();
  }

  @Override
  public void setWantClientAuth(boolean isWanted) {
    engine.setWantClientAuth(isWanted);
  }

  @Override
  public boolean getWantClientAuth() {
    return engine.getWantClientAuth();
  }

  @Override
  public void setEnableSessionCreation(boolean isEnabled) {
    engine.setEnableSessionCreation(isEnabled);
  }

  @Override
  public boolean getEnableSessionCreation() {
    return engine.getEnableSessionCreation();
  }

  @Override
  public SSLParameters getSSLParameters() {
    return engine.getSSLParameters();
  }

  @Override
  public void setSSLParameters(SSLParameters parameters) {
    engine.setSSLParameters(parameters);
  }

  @Override
  public @Nullable String getApplicationProtocol() {
    return engine.getApplicationProtocol();
  }

  @Override
  public @Nullable String getHandshakeApplicationProtocol() {
    return engine.getHandshakeApplicationProtocol();
  }
}
