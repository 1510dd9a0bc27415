using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;

namespace Sc2Bridge.Admission;

/// <summary>Puts admission before every listener of a Kestrel.</summary>
public static class AdmissionKestrel
{
    /// <summary>Counts, meters and watches the connections of all listeners, and refuses those over the limits.</summary>
    /// <param name="host">A host that uses Kestrel.</param>
    /// <param name="admission">Outlives the host.</param>
    /// <param name="protocolAt">
    /// What is spoken in plain text at an address, in which a refusal is said; null where TLS is: there it is only closed.
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
                        HttpProtocols.Http1 => RefusalForms.Http1,
                        HttpProtocols.Http2 => RefusalForms.Http2,
                        _ => null,
                    })));
    }
}
