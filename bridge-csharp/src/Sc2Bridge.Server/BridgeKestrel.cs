using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>Configures Kestrel for long streams of large messages.</summary>
public static class BridgeKestrel
{
    /// <summary>The most bytes that Kestrel buffers for one connection.</summary>
    private const long MostUnsent = 1 << 20;

    // The most bytes that Kestrel reads ahead. Agents' messages are short. The rest of a longer message stays in the client's socket.
    private const int MostUnread = 128 << 10;

    // The memory of an idle connection, measured with 500 idle connections.
    private const long ConnectionBytes = 48 << 10;

    /// <summary>
    /// Sets the bridge's limits, memory pool and socket options. The method is public so that a benchmark can compare
    /// the bridge with a handler on an identical Kestrel.
    /// </summary>
    /// <param name="host">A host with Kestrel.</param>
    public static IWebHostBuilder UseBridgeKestrel(this IWebHostBuilder host)
    {
        ArgumentNullException.ThrowIfNull(host);
        return host
            .ConfigureKestrel(kestrel =>
            {
                kestrel.ConfigureGrpc();
                kestrel.Limits.MaxRequestBufferSize = MostUnread; // For connections over TLS.
                if (kestrel.ApplicationServices.GetService<Hub>()?.Memory is { } memory)
                {
                    kestrel.ConfigureEndpointDefaults(listener => listener.Use(next => ChargeWhileOpen(memory, next)));
                }
            })
            .ConfigureServices(services => services
                .AddSingleton<IMemoryPoolFactory<byte>>(
                    all => new LargeBlockPool.Factory(all.GetService<Hub>()?.Memory))

                // With Kestrel's default of 64 KiB, every write of a 160 KiB frame waits for the socket, and allocates about
                // 1 KB for state machines. The larger buffer has room for six frames, so writes to a client that keeps up do
                // not wait.
                .Configure<SocketTransportOptions>(
                    sockets => (sockets.MaxWriteBufferSize, sockets.MaxReadBufferSize) = (MostUnsent, MostUnread)));
    }

    // The memory of a connection is charged until the connection closes. So the hub's MemoryKeeper notices when many
    // clients have disconnected, and then returns their memory to the system.
    private static ConnectionDelegate ChargeWhileOpen(MemoryLedger memory, ConnectionDelegate next) => async connection =>
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
