using Sc2Bridge.Server.Health;
using Status = Sc2Bridge.Server.Health.HealthCheckResponse.Types.ServingStatus;

namespace Sc2Bridge.Server;

/// <summary><c>grpc.health.v1.Health</c>: a bridge that answers is serving.</summary>
internal sealed class HealthService(IReadOnlySet<string> services)
{
    public const string Name = "grpc.health.v1.Health";

    public async Task CheckAsync(GrpcCall call)
    {
        var request = await call.ReadOnlyAsync(HealthCheckRequest.Parser);
        if (!Knows(request.Service))
        {
            throw new GrpcException(GrpcCode.NotFound, $"There is no service '{request.Service}' here.");
        }

        await call.WriteAsync(new HealthCheckResponse { Status = Status.Serving });
    }

    public async Task WatchAsync(GrpcCall call)
    {
        var request = await call.ReadOnlyAsync(HealthCheckRequest.Parser);
        await call.WriteAsync(
            new HealthCheckResponse { Status = Knows(request.Service) ? Status.Serving : Status.ServiceUnknown });

        // It stays so until the server goes away, which ends this call as any other.
        await Task.Delay(Timeout.Infinite, call.Token);
    }

    private bool Knows(string service) => service.Length == 0 || services.Contains(service);
}
