using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>Checks each request's host and origin, and counts it, before anything else sees it.</summary>
public static class HostsMiddleware
{
    private const uint PermissionDenied = 7;
    private const uint ResourceExhausted = 8;

    /// <summary>
    /// Refuses what is not allowed, each with the line: 421 or 403, and on gRPC PERMISSION_DENIED; 503 and
    /// RESOURCE_EXHAUSTED where it is one too many at a time.
    /// </summary>
    /// <param name="app">The application.</param>
    /// <param name="admission">Counts refusals.</param>
    /// <param name="hosts">What is allowed.</param>
    public static void UseAllowedHosts(this IApplicationBuilder app, ConnectionAdmission admission, AllowedHosts hosts)
    {
        ArgumentNullException.ThrowIfNull(admission);
        ArgumentNullException.ThrowIfNull(hosts);
        app.Use(async (http, next) =>
        {
            var address = http.Connection.RemoteIpAddress;
            if (hosts.Check(http.Request, isSocketFile: address is null) is { } foreign)
            {
                admission.Refuse(foreign);
                await RefusalAnswer.WriteAsync(http, PermissionDenied, StatusOf(foreign), foreign.Message).ConfigureAwait(false);
                return;
            }

            using var place = admission.Request(address, out var refusal);
            await (refusal is null
                ? next(http)
                : RefusalAnswer.WriteAsync(
                    http, ResourceExhausted, StatusCodes.Status503ServiceUnavailable, refusal.Message)).ConfigureAwait(false);
        });
    }

    private static int StatusOf(Refusal refusal) =>
        refusal.Reason == "host" ? StatusCodes.Status421MisdirectedRequest : StatusCodes.Status403Forbidden;
}
