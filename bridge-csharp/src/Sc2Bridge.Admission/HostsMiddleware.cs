using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>Checks each request's host and origin, and counts the request, before any other middleware.</summary>
public static class HostsMiddleware
{
    private const uint PermissionDenied = 7;
    private const uint ResourceExhausted = 8;

    /// <summary>
    /// Refuses foreign hosts and origins with 421 or 403, or over gRPC with PERMISSION_DENIED. Refuses requests over the limit
    /// with 503 or RESOURCE_EXHAUSTED.
    /// </summary>
    /// <param name="app">The application.</param>
    /// <param name="admission">Counts requests and refusals.</param>
    /// <param name="hosts">The allowed hosts and origins.</param>
    public static void UseAllowedHosts(this IApplicationBuilder app, ConnectionAdmission admission, AllowedHosts hosts)
    {
        ArgumentNullException.ThrowIfNull(admission);
        ArgumentNullException.ThrowIfNull(hosts);
        app.Use(async (http, next) =>
        {
            var address = http.Connection.RemoteIpAddress;
            if (hosts.Check(http.Request, isSocketFile: address is null) is { } foreign)
            {
                admission.ReportRefusal(foreign);
                await RefusalAnswer.WriteAsync(http, PermissionDenied, StatusOf(foreign), foreign.Message).ConfigureAwait(false);
                return;
            }

            using var place = admission.TryEnterRequest(address, out var refusal);
            await (refusal is null
                ? next(http)
                : RefusalAnswer.WriteAsync(
                    http, ResourceExhausted, StatusCodes.Status503ServiceUnavailable, refusal.Message)).ConfigureAwait(false);
        });
    }

    private static int StatusOf(Refusal refusal) =>
        refusal.Reason == "host" ? StatusCodes.Status421MisdirectedRequest : StatusCodes.Status403Forbidden;
}
