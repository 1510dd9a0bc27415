using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Admission;

/// <summary>Checks each request's host and origin before anything else sees it.</summary>
public static class HostsMiddleware
{
    private const string PermissionDenied = "7";

    /// <summary>Refuses what is not allowed: 421 or 403, and on gRPC PERMISSION_DENIED, each with the line.</summary>
    /// <param name="app">The application.</param>
    /// <param name="admission">Counts refusals.</param>
    /// <param name="hosts">What is allowed.</param>
    public static void UseAllowedHosts(this IApplicationBuilder app, ConnectionAdmission admission, AllowedHosts hosts)
    {
        ArgumentNullException.ThrowIfNull(admission);
        ArgumentNullException.ThrowIfNull(hosts);
        app.Use((http, next) =>
        {
            if (hosts.Check(http.Request, http.Connection.RemoteIpAddress is null) is not { } refusal)
            {
                return next(http);
            }

            admission.Refuse(refusal);
            return http.Request.ContentType?.StartsWith("application/grpc", StringComparison.Ordinal) is true
                ? RefuseCallAsync(http.Response, refusal.Message)
                : RefusalAnswer.WriteAsync(http.Response, StatusOf(refusal), refusal.Message);
        });
    }

    private static int StatusOf(Refusal refusal) =>
        refusal.Reason == "host" ? StatusCodes.Status421MisdirectedRequest : StatusCodes.Status403Forbidden;

    // gRPC over HTTP/2: a status in the headers alone ("Trailers-Only").
    private static Task RefuseCallAsync(HttpResponse response, string line)
    {
        response.ContentType = "application/grpc";
        response.Headers.GrpcStatus = PermissionDenied;
        response.Headers.GrpcMessage = Uri.EscapeDataString(line);
        return response.CompleteAsync();
    }
}
