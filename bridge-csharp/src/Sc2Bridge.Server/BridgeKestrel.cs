using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>How Kestrel is set up for long streams of large messages.</summary>
public static class BridgeKestrel
{
    /// <summary>The most bytes that Kestrel buffers for one connection.</summary>
    private const long MostUnsent = 1 << 20;

    // Agents' messages are short. Longer input stays in the client's socket.
    private const int MostUnread = 128 << 10;

    // Measured: of 500 connections that send nothing.
    private const long ConnectionBytes = 48 << 10;

    /// <summary>
    /// Gives Kestrel the bridge's limits, memory and socket options. Public so that a benchmark can hold the bridge
    /// against a handler on the very same Kestrel.
    /// </summary>
    /// <param name="host">A host that uses Kestrel.</param>
    public static IWebHostBuilder UseBridgeKestrel(this IWebHostBuilder host)
    {
        ArgumentNullException.ThrowIfNull(host);
        return host
            .ConfigureKestrel(kestrel =>
            {
                kestrel.ConfigureGrpc();
                kestrel.Limits.MaxRequestBufferSize = MostUnread; // Over TLS.
                if (kestrel.ApplicationServices.GetService<Hub>()?.Memory is { } memory)
                {
                    kestrel.ConfigureEndpointDefaults(listener => listener.Use(next => Charged(memory, next)));
                }
            })
            .ConfigureServices(services => services
                .AddSingleton<IMemoryPoolFactory<byte>>(
                    all => new LargeBlockPool.Factory(all.GetService<Hub>()?.Memory))

                // Kestrel's 64 KiB make every write of a 160 KiB frame wait for the socket, on some 1 KB of state
                // machines. With room for six frames a reader that keeps up is written to without waiting.
                .Configure<SocketTransportOptions>(
                    sockets => (sockets.MaxWriteBufferSize, sockets.MaxReadBufferSize) = (MostUnsent, MostUnread)));
    }

    // A crowd of connections is gone once they are closed, and the keeper of the ledger gives their memory back.
    private static ConnectionDelegate Charged(MemoryLedger memory, ConnectionDelegate next) => async connection =>
    {
        memory.Add(MemoryAccount.Connections, ConnectionBytes);
        try
        {
            await next(connection).ConfigureAwait(false);
        }
        finally
        {
            memory.Add(MemoryAccount.Connections, -ConnectionBytes);
        }
    };
}
