using System.Net;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.RegularExpressions;
using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// A folder of a bucket in an S3-compatible store. The environment names the user and the URL, as it does for Amazon's
/// tools. Whatever the store refuses is a <see cref="ResultStoreException"/>.
/// </summary>
internal sealed partial class Bucket : IDisposable
{
    /// <summary>What an address begins with.</summary>
    internal const string Scheme = "s3://";

    private const int MostTries = 5;

    // A file has at most 10,000 parts.
    private const int MostParts = 9_000;

    private static readonly TimeSpan _pauseOfTries = TimeSpan.FromMilliseconds(200);

    // A page of 1000 names, for which some stores look through many more.
    private static readonly TimeSpan _longestList = TimeSpan.FromMinutes(1);

    private readonly string _bucket;
    private readonly string _prefix;
    private readonly BucketClient _client;

    /// <summary>Reads an address.</summary>
    /// <param name="where"><c>s3://BUCKET/PREFIX</c>.</param>
    /// <param name="endpoint">The store's URL; null: as the environment has it.</param>
    /// <param name="credentials">Who connects; null: as the environment has it.</param>
    /// <exception cref="ResultStoreException">The address names no bucket.</exception>
    internal Bucket(string where, string? endpoint, AWSCredentials? credentials)
    {
        var parts = where[Scheme.Length..].Split('/', 2);
        if (!BucketName().IsMatch(parts[0]))
        {
            // Not repeated: somebody may have written a key into it.
            throw new ResultStoreException("that is no bucket: write s3://BUCKET or s3://BUCKET/PREFIX, and keys into the environment");
        }

        _bucket = parts[0];
        _prefix = parts.Length > 1 && parts[1].Trim('/') is { Length: > 0 } prefix ? $"{prefix}/" : "";
        _client = new BucketClient(NameOf("").TrimEnd('/'), endpoint, credentials);
    }

    /// <summary>How long a request may take, with its repetitions.</summary>
    internal TimeSpan LongestRequest { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the store may take none of a file's bytes. The whole file may take longer.</summary>
    internal TimeSpan LongestSilence { get; set; } = TimeSpan.FromMinutes(4);

    /// <summary>Bytes of a file that go up in one request: a larger one goes up in parts, as stores take 5 GB at once.</summary>
    internal long PartBytes { get; set; } = 64 << 20;

    /// <inheritdoc/>
    public override string ToString() => _client.ToString();

    /// <inheritdoc/>
    public void Dispose() => _client.Dispose();

    /// <summary>The address of an object.</summary>
    internal string NameOf(string key) => $"{Scheme}{_bucket}/{_prefix}{key}";

    /// <summary>Finds whether objects can be listed.</summary>
    internal Task OpenAsync(CancellationToken ct) => _client.AskAsync(LongestRequest, (client, end) => client.ListObjectsV2Async(
        new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix, MaxKeys = 1 }, end), ct);

    /// <summary>Whether there is an object.</summary>
    internal async Task<bool> HasAsync(string key, CancellationToken ct)
    {
        try
        {
            await _client.AskAsync(LongestRequest, (client, end) => client.GetObjectMetadataAsync(_bucket, _prefix + key, end), ct);
            return true;
        }
        catch (ResultStoreException none) when (Status(none) == HttpStatusCode.NotFound)
        {
            return false;
        }
    }

    /// <summary>A text; null if there is no such object.</summary>
    internal async Task<string?> ReadAsync(string key, CancellationToken ct)
    {
        try
        {
            return await _client.AskAsync(
                LongestRequest,
                async (client, end) =>
                {
                    using var answer = await client.GetObjectAsync(_bucket, _prefix + key, end);
                    using var text = new StreamReader(answer.ResponseStream, Encoding.UTF8);
                    return await text.ReadToEndAsync(end);
                },
                ct);
        }
        catch (ResultStoreException none) when (none.InnerException is AmazonS3Exception { ErrorCode: "NoSuchKey" })
        {
            return null;
        }
    }

    /// <summary>The keys that begin with something.</summary>
    internal async IAsyncEnumerable<string> KeysAsync(string prefix, [EnumeratorCancellation] CancellationToken ct)
    {
        var request = new ListObjectsV2Request { BucketName = _bucket, Prefix = _prefix + prefix };
        do
        {
            var page = await _client.AskAsync(_longestList, (client, end) => client.ListObjectsV2Async(request, end), ct);
            foreach (var found in page.S3Objects ?? [])
            {
                yield return found.Key[_prefix.Length..];
            }

            request.ContinuationToken = page.NextContinuationToken;
        }
        while (request.ContinuationToken is not null);
    }

    /// <summary>Puts a text, unless there is an object of that name.</summary>
    internal async Task PutOnceAsync(string key, string text, string type, CancellationToken ct)
    {
        for (var tries = 1; ; tries++)
        {
            try
            {
                // The library closes what it sent: each time a request of its own.
                var put = new PutObjectRequest
                {
                    BucketName = _bucket,
                    Key = _prefix + key,
                    ContentBody = text,
                    ContentType = type,
                    IfNoneMatch = "*",
                    UseChunkEncoding = false,
                };
                await _client.AskAsync(LongestRequest, (client, end) => client.PutObjectAsync(put, end), ct);
                return;
            }
            catch (ResultStoreException refused) when (Status(refused) == HttpStatusCode.PreconditionFailed)
            {
                // Somebody else was quicker, or this was taken, the answer lost and asked for again.
                return;
            }
            catch (ResultStoreException refused) when (Status(refused) == HttpStatusCode.Conflict && tries < MostTries)
            {
                // Another request for the same name is not through yet: it is open which was first.
                await Task.Delay(_pauseOfTries, ct);
            }
        }
    }

    /// <summary>
    /// Puts a file, in parts if it is large. Its bytes go up as they are, not in Amazon's own framing: some other stores keep
    /// the framing in the object.
    /// </summary>
    /// <exception cref="IOException">The file cannot be read, or is too large.</exception>
    internal async Task PutFileAsync(string key, string file, CancellationToken ct)
    {
        // Opened here: that a file cannot be read is not the store's fault.
        await using var content = File.OpenRead(file);
        var name = _prefix + key;

        // Not disposed: the library reports progress on a thread of its own, perhaps after the end.
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
            put.StreamTransferProgress += GoesOn;
            await SendAsync((client, end) => client.PutObjectAsync(put, end));
            return;
        }

        var upload = await SendAsync((client, end) => client.InitiateMultipartUploadAsync(_bucket, name, end));
        var whole = new CompleteMultipartUploadRequest { BucketName = _bucket, Key = name, UploadId = upload.UploadId, PartETags = [] };
        try
        {
            var most = Math.Max(PartBytes, (content.Length / MostParts) + 1);
            for (var at = 0L; at < content.Length; at += most)
            {
                var part = new UploadPartRequest
                {
                    BucketName = _bucket,
                    Key = name,
                    UploadId = upload.UploadId,
                    PartNumber = whole.PartETags.Count + 1,
                    FilePath = file,
                    FilePosition = at,
                    PartSize = Math.Min(most, content.Length - at),
                    UseChunkEncoding = false,
                };
                part.StreamTransferProgress += GoesOn;
                var taken = await SendAsync((client, end) => client.UploadPartAsync(part, end));
                whole.PartETags.Add(new PartETag { PartNumber = part.PartNumber, ETag = taken.ETag });
            }

            await SendAsync((client, end) => client.CompleteMultipartUploadAsync(whole, end));
        }
        catch
        {
            // The first failure is reported. If this fails too, the parts stay until the store's own rules delete them.
            await ((Task)_client.AskAsync(
                LongestRequest, (client, end) => client.AbortMultipartUploadAsync(_bucket, name, upload.UploadId, end),
                CancellationToken.None)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw;
        }

        void GoesOn(object? sender, StreamTransferProgressArgs progress) => silence.CancelAfter(LongestSilence);

        Task<T> SendAsync<T>(Func<AmazonS3Client, CancellationToken, Task<T>> send)
        {
            silence.CancelAfter(LongestSilence);
            return _client.AskAsync(Timeout.InfiniteTimeSpan, send, ct, silence.Token);
        }
    }

    /// <summary>Deletes an object.</summary>
    internal Task DeleteAsync(string key, CancellationToken ct) =>
        _client.AskAsync(LongestRequest, (client, end) => client.DeleteObjectAsync(_bucket, _prefix + key, end), ct);

    private static HttpStatusCode? Status(ResultStoreException refused) => (refused.InnerException as AmazonS3Exception)?.StatusCode;

    // docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    [GeneratedRegex(@"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\z")]
    private static partial Regex BucketName();
}
