using System.Net;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.RegularExpressions;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// A folder in a bucket of an S3-compatible store. The URL and the credentials come from the environment variables of the AWS
/// tools. All errors of the store are <see cref="ResultStoreException"/>s.
/// </summary>
internal sealed partial class Bucket : IDisposable
{
    /// <summary>The prefix of an address.</summary>
    internal const string Scheme = "s3://";

    private const int MaxTries = 5;

    // S3 allows 10,000 parts per file.
    private const int MaxParts = 9_000;

    private static readonly TimeSpan _retryPause = TimeSpan.FromMilliseconds(200);

    // A list request returns 1000 names. To find them, some stores scan many more names, which takes long.
    private static readonly TimeSpan _longestList = TimeSpan.FromMinutes(1);

    private readonly string _bucket;
    private readonly string _prefix;
    private readonly BucketClient _client;

    /// <summary>Parses an address.</summary>
    /// <param name="where"><c>s3://BUCKET/PREFIX</c>.</param>
    /// <param name="endpoint">The store's URL; null to use the environment variables.</param>
    /// <param name="credentials">The credentials; null to use the environment variables.</param>
    /// <exception cref="ResultStoreException">The address does not name a valid bucket.</exception>
    internal Bucket(string where, string? endpoint, AWSCredentials? credentials)
    {
        var parts = where[Scheme.Length..].Split('/', 2);
        if (!BucketName().IsMatch(parts[0]))
        {
            // The address is not repeated, because it may contain a key by mistake.
            throw new ResultStoreException("invalid bucket address: write s3://BUCKET or s3://BUCKET/PREFIX, and set keys in the environment");
        }

        _bucket = parts[0];
        _prefix = parts.Length > 1 && parts[1].Trim('/') is { Length: > 0 } prefix ? $"{prefix}/" : "";
        _client = new BucketClient(AddressOf("").TrimEnd('/'), endpoint, credentials);
    }

    /// <summary>The time limit for a request and its retries.</summary>
    internal TimeSpan LongestRequest { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The time limit for an upload without progress. The whole upload may take longer.</summary>
    internal TimeSpan LongestSilence { get; set; } = TimeSpan.FromMinutes(4);

    /// <summary>The size of a part of an upload. Larger files are uploaded in parts, because stores limit one request to 5 GB.</summary>
    internal long PartBytes { get; set; } = 64 << 20;

    /// <inheritdoc/>
    public override string ToString() => _client.ToString();

    /// <inheritdoc/>
    public void Dispose() => _client.Dispose();

    /// <summary>The address of an object.</summary>
    internal string AddressOf(string key) => $"{Scheme}{_bucket}/{_prefix}{key}";

    /// <summary>Checks that objects can be listed.</summary>
    internal Task CheckAsync(CancellationToken ct) => _client.SendAsync(LongestRequest, (client, end) => client.ListObjectsV2Async(
        new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix, MaxKeys = 1 }, end), ct);

    /// <summary>Whether an object exists.</summary>
    internal async Task<bool> ExistsAsync(string key, CancellationToken ct)
    {
        try
        {
            await _client.SendAsync(LongestRequest, (client, end) => client.GetObjectMetadataAsync(_bucket, _prefix + key, end), ct);
            return true;
        }
        catch (ResultStoreException missing) when (StatusOf(missing) == HttpStatusCode.NotFound)
        {
            return false;
        }
    }

    /// <summary>Reads an object's text; returns null if the object does not exist.</summary>
    internal async Task<string?> ReadAsync(string key, CancellationToken ct)
    {
        try
        {
            return await _client.SendAsync(
                LongestRequest,
                async (client, end) =>
                {
                    using var answer = await client.GetObjectAsync(_bucket, _prefix + key, end);
                    using var text = new StreamReader(answer.ResponseStream, Encoding.UTF8);
                    return await text.ReadToEndAsync(end);
                },
                ct);
        }
        catch (ResultStoreException missing) when (missing.InnerException is AmazonS3Exception { ErrorCode: "NoSuchKey" })
        {
            return null;
        }
    }

    /// <summary>Lists the keys with a prefix.</summary>
    internal async IAsyncEnumerable<string> ListKeysAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        var request = new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix + prefix };
        do
        {
            var page = await _client.SendAsync(_longestList, (client, end) => client.ListObjectsV2Async(request, end), ct);
            foreach (var found in page.S3Objects ?? [])
            {
                yield return found.Key[_prefix.Length..];
            }

            request.ContinuationToken = page.NextContinuationToken;
        }
        while (request.ContinuationToken is not null);
    }

    /// <summary>Creates an object with a text, unless the object exists.</summary>
    internal async Task PutOnceAsync(string key, string text, string type, CancellationToken ct)
    {
        for (var tries = 1; ; tries++)
        {
            try
            {
                // The library disposes the request's stream, so each try needs its own request.
                var put = new PutObjectRequest
                {
                    BucketName = _bucket,
                    Key = _prefix + key,
                    ContentBody = text,
                    ContentType = type,
                    IfNoneMatch = "*",
                    UseChunkEncoding = false,
                };
                await _client.SendAsync(LongestRequest, (client, end) => client.PutObjectAsync(put, end), ct);
                return;
            }
            catch (ResultStoreException refused) when (StatusOf(refused) == HttpStatusCode.PreconditionFailed)
            {
                // Another worker was first, or the store accepted an earlier try whose answer was lost.
                return;
            }
            catch (ResultStoreException refused) when (StatusOf(refused) == HttpStatusCode.Conflict && tries < MaxTries)
            {
                // Another request for the same name is still running. The store has not decided yet which request wins.
                await Task.Delay(_retryPause, ct);
            }
        }
    }

    /// <summary>
    /// Uploads a file, in parts if it is large. The body is sent without Amazon's chunked encoding, because some other stores keep the
    /// chunk headers in the object.
    /// </summary>
    /// <exception cref="IOException">The file cannot be read, or is too large.</exception>
    internal async Task PutFileAsync(string key, string file, CancellationToken ct)
    {
        // The file is opened here, so that an unreadable file is not reported as an error of the store.
        await using var content = File.OpenRead(file);
        var name = _prefix + key;

        // This token source is not disposed, because the library may report progress on another thread after this method has returned.
        var silence = new CancellationTokenSource(LongestSilence);
        if (content.Length <= PartBytes)
        {
            var put = new PutObjectRequest
            {
                BucketName = _bucket,
                Key = name,
                InputStream = content,
                AutoCloseStream = false,
                UseChunkEncoding = false,
            };
            put.StreamTransferProgress += OnProgress;
            await SendAsync((client, end) => client.PutObjectAsync(put, end));
            return;
        }

        var upload = await SendAsync((client, end) => client.InitiateMultipartUploadAsync(_bucket, name, end));
        var completion = new CompleteMultipartUploadRequest { BucketName = _bucket, Key = name, UploadId = upload.UploadId, PartETags = [] };
        try
        {
            var partBytes = Math.Max(PartBytes, (content.Length / MaxParts) + 1);
            for (var position = 0L; position < content.Length; position += partBytes)
            {
                var part = new UploadPartRequest
                {
                    BucketName = _bucket,
                    Key = name,
                    UploadId = upload.UploadId,
                    PartNumber = completion.PartETags.Count + 1,
                    FilePath = file,
                    FilePosition = position,
                    PartSize = Math.Min(partBytes, content.Length - position),
                    UseChunkEncoding = false,
                };
                part.StreamTransferProgress += OnProgress;
                var uploaded = await SendAsync((client, end) => client.UploadPartAsync(part, end));
                completion.PartETags.Add(new PartETag { PartNumber = part.PartNumber, ETag = uploaded.ETag });
            }

            await SendAsync((client, end) => client.CompleteMultipartUploadAsync(completion, end));
        }
        catch
        {
            // The first failure is reported. If the upload cannot be aborted either, its parts stay until the store's own rules delete them.
            await ((Task)_client.SendAsync(
                LongestRequest, (client, end) => client.AbortMultipartUploadAsync(_bucket, name, upload.UploadId, end),
                CancellationToken.None)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw;
        }

        void OnProgress(object? sender, StreamTransferProgressArgs progress) => silence.CancelAfter(LongestSilence);

        Task<T> SendAsync<T>(Func<AmazonS3Client, CancellationToken, Task<T>> send)
        {
            silence.CancelAfter(LongestSilence);
            return _client.SendAsync(Timeout.InfiniteTimeSpan, send, ct, silence.Token);
        }
    }

    /// <summary>Deletes an object.</summary>
    internal Task DeleteAsync(string key, CancellationToken ct) =>
        _client.SendAsync(LongestRequest, (client, end) => client.DeleteObjectAsync(_bucket, _prefix + key, end), ct);

    private static HttpStatusCode? StatusOf(ResultStoreException refused) => (refused.InnerException as AmazonS3Exception)?.StatusCode;

    // Source: docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    [GeneratedRegex(@"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\z")]
    private static partial Regex BucketName();
}
