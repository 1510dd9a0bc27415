using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;

namespace Sc2Bridge.Admission;

/// <summary>Adds admission to every listener of a Kestrel server.</summary>
public static class AdmissionKestrel
{
    /// <summary>Counts, meters and watches the connections of all listeners, and refuses connections over the limits.</summary>
    /// <param name="host">A host that uses Kestrel.</param>
    /// <param name="admission">The admission. It must outlive the host.</param>
    /// <param name="protocolAt">
    /// Returns the HTTP protocol for refusals at a listener's address. It returns null for TLS, because no message is sent there.
    /// </param>
    public static IWebHostBuilder UseAdmission(
        this IWebHostBuilder host, ConnectionAdmission admission, Func<EndPoint, HttpProtocols?> protocolAt)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(admission);
        return host
            .ConfigureKestrel(kestrel =>
            {
                kestrel.Limits.KeepAliveTimeout = admission.Limits.IdleTimeout;
                kestrel.Limits.Http2.MaxStreamsPerConnection = admission.Limits.StreamsPerConnection;
            })
            .ConfigureServices(services => services.AddSingleton<IConnectionListenerFactory>(provider =>
                new AdmittingListeners(
                    ActivatorUtilities.CreateInstance<SocketTransportFactory>(provider),
                    admission,
                    address => protocolAt(address) switch
                    {
                        HttpProtocols.Http1 => RefusalEncoders.Http1,
                        HttpProtocols.Http2 => RefusalEncoders.Http2,
                        _ => null,
                    })));
    }
}
