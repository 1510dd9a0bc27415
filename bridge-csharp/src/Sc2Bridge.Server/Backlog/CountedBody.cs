using System.IO.Pipelines;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Features;

namespace Sc2Bridge.Server;

/// <summary>A response's body that counts what is written, which after compression only the body knows.</summary>
internal sealed class CountedBody(IHttpResponseBodyFeature body) : IHttpResponseBodyFeature
{
    private readonly CountedOutput _output = new(body.Writer);

    /// <summary>Bytes written so far.</summary>
    public long Bytes => _output.Bytes;

    public Stream Stream => body.Stream;

    public PipeWriter Writer => _output;

    /// <summary>Counts every response's.</summary>
    public static void Use(IApplicationBuilder app) => app.Use(next => http =>
    {
        http.Features.Set<IHttpResponseBodyFeature>(
            new CountedBody(http.Features.GetRequiredFeature<IHttpResponseBodyFeature>()));
        return next(http);
    });

    public void DisableBuffering() => body.DisableBuffering();

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default) =>
        body.SendFileAsync(path, offset, count, cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken = default) => body.StartAsync(cancellationToken);

    public Task CompleteAsync() => body.CompleteAsync();
}
