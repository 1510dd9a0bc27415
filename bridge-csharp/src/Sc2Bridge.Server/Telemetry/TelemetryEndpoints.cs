using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>OpenTelemetry metrics and traces of the bridge, and its health checks.</summary>
internal static class TelemetryEndpoints
{
    /// <summary>The path of the metrics for Prometheus.</summary>
    public const string MetricsPath = "/metrics";

    /// <summary>The path of the health check.</summary>
    public const string HealthPath = "/health";

    // The name of the meters and of the traces.
    private const string Source = "Sc2Bridge";

    // A collector that does not answer must not prevent the bridge from stopping.
    private const int ExportTimeoutMs = 2_000;

    private const int ExportPeriodMs = 10_000;

    /// <summary>Collects the metrics of the bridge and of the runtime, and exports them according to the options.</summary>
    public static void AddBridgeTelemetry(this IServiceCollection services, BridgeServerOptions options)
    {
        var telemetry = services.AddOpenTelemetry().ConfigureResource(resource => resource.AddService("sc2bridge"));
        telemetry.WithMetrics(metrics =>
        {
            metrics.AddMeter(Source, "System.Runtime").AddPrometheusExporter();
            if (options.OtlpEndpoint is { } collector)
            {
                metrics.AddOtlpExporter((exporter, reader) =>
                {
                    Configure(exporter, collector, "v1/metrics");
                    reader.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds = ExportPeriodMs;
                    reader.PeriodicExportingMetricReaderOptions.ExportTimeoutMilliseconds = ExportTimeoutMs;
                });
            }
        });
        if (options.OtlpEndpoint is { } traced)
        {
            telemetry.WithTracing(traces => traces
                .AddSource(Source)
                .AddOtlpExporter(exporter => Configure(exporter, traced, "v1/traces")));
        }

        services.AddHealthChecks().AddCheck("bridge", () => Check(options.Health?.Now));
    }

    /// <summary>Serves metrics and health on the web address.</summary>
    public static void MapBridgeTelemetry(this WebApplication app)
    {
        var authentication = app.Services.GetRequiredService<Authentication>();
        Authentication.RequireToken(app.MapPrometheusScrapingEndpoint(MetricsPath));
        app.MapHealthChecks(HealthPath, new HealthCheckOptions
        {
            ResponseWriter = (http, report) =>
            {
                http.Response.ContentType = "application/json";

                // The status is public, for the software that restarts containers. The reasons name agents, so they require
                // a token.
                var reasons = authentication.MayConnect(http)
                    ? report.Entries.Values.Select(entry => entry.Data.GetValueOrDefault("reasons"))
                        .OfType<IEnumerable<string>>().SelectMany(reason => reason)
                    : [];
                return http.Response.WriteAsync(
                    new JsonObject
                    {
                        ["status"] = NameOf(report.Status),
                        ["reasons"] = new JsonArray([.. reasons.Select(reason => JsonValue.Create(reason))]),
                    }.ToJsonString(),
                    http.RequestAborted);
            },
        });
    }

    private static void Configure(OtlpExporterOptions exporter, Uri collector, string path)
    {
        exporter.Protocol = OtlpExportProtocol.HttpProtobuf;
        exporter.Endpoint = new Uri(new Uri(collector.AbsoluteUri.TrimEnd('/') + "/"), path);
        exporter.TimeoutMilliseconds = ExportTimeoutMs;
    }

    private static HealthCheckResult Check(BridgeHealth? health)
    {
        var data = new Dictionary<string, object> { ["reasons"] = health?.Reasons ?? [] };
        return new HealthCheckResult(
            health?.State switch
            {
                HealthState.Degraded => HealthStatus.Degraded,
                HealthState.NotServing => HealthStatus.Unhealthy,
                _ => HealthStatus.Healthy,
            },
            data: data);
    }

    private static string NameOf(HealthStatus status) => status switch
    {
        HealthStatus.Healthy => "serving",
        HealthStatus.Degraded => "degraded",
        _ => "not serving",
    };
}
