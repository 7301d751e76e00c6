import torch, triton, triton.language as tl
d='cuda'
def run(name,f):
    try:
        f(); torch.cuda.synchronize(); print(name,'ok',flush=True)
    except Exception as e:
        print(name,'failed',type(e).__name__,str(e)[:200],flush=True)

@triton.jit
def add_k(x,y,o,n,B:tl.constexpr):
    i=tl.program_id(0)*B+tl.arange(0,B); m=i<n
    tl.store(o+i,tl.load(x+i,mask=m)+tl.load(y+i,mask=m),mask=m)

@triton.jit
def softmax_k(o,x,rs,n_rows,n_cols,B:tl.constexpr,STAGES:tl.constexpr):
    r0=tl.program_id(0); step=tl.num_programs(0)
    for r in tl.range(r0,n_rows,step,num_stages=STAGES):
        c=tl.arange(0,B); m=c<n_cols
        v=tl.load(x+r*rs+c,mask=m,other=-float('inf')).to(tl.float32)
        v=v-tl.max(v,0); e=tl.exp(v)
        tl.store(o+r*rs+c,(e/tl.sum(e,0)).to(tl.float16),mask=m)

@triton.jit
def ln_k(x,w,b,o,s,n,eps,B:tl.constexpr):
    r=tl.program_id(0); x+=r*s; o+=r*s
    acc=tl.zeros([B],dtype=tl.float32)
    for off in range(0,n,B):
        c=off+tl.arange(0,B); acc+=tl.load(x+c,mask=c<n,other=0.).to(tl.float32)
    mean=tl.sum(acc,0)/n
    acc=tl.zeros([B],dtype=tl.float32)
    for off in range(0,n,B):
        c=off+tl.arange(0,B); v=tl.load(x+c,mask=c<n,other=0.).to(tl.float32)
        v=tl.where(c<n,v-mean,0.); acc+=v*v
    rstd=1/tl.sqrt(tl.sum(acc,0)/n+eps)
    for off in range(0,n,B):
        c=off+tl.arange(0,B); m=c<n
        tl.store(o+c,(tl.load(x+c,mask=m)-mean)*rstd*tl.load(w+c,mask=m)+tl.load(b+c,mask=m),mask=m)

@triton.jit
def locked_sum_k(x,part,lock,count,n,G:tl.constexpr,B:tl.constexpr):
    r=tl.program_id(0); g=r%G; lock+=g; count+=g
    c=tl.arange(0,B); v=tl.load(x+r*B+c)
    while tl.atomic_cas(lock,0,1)==1: pass
    k=tl.load(count)
    if k==0: tl.atomic_xchg(count,1)
    else: v+=tl.load(part+g*B+c)
    tl.store(part+g*B+c,v)
    tl.debug_barrier()
    tl.atomic_xchg(lock,0)

@triton.jit
def mm_k(a,b,c,M,N,K,sam,sak,sbk,sbn,scm,scn,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,G:tl.constexpr):
    pid=tl.program_id(0); pm=tl.cdiv(M,BM); pn=tl.cdiv(N,BN); per=G*pn
    gid=pid//per; first=gid*G; gs=min(pm-first,G)
    m=first+(pid%per)%gs; n=(pid%per)//gs
    om=(m*BM+tl.arange(0,BM))%M; on=(n*BN+tl.arange(0,BN))%N; ok=tl.arange(0,BK)
    pa=a+om[:,None]*sam+ok[None,:]*sak; pb=b+ok[:,None]*sbk+on[None,:]*sbn
    acc=tl.zeros((BM,BN),dtype=tl.float32)
    for k in range(0,tl.cdiv(K,BK)):
        va=tl.load(pa,mask=ok[None,:]<K-k*BK,other=0.); vb=tl.load(pb,mask=ok[:,None]<K-k*BK,other=0.)
        acc=tl.dot(va,vb,acc); pa+=BK*sak; pb+=BK*sbk
    v=acc.to(tl.float16); cm=m*BM+tl.arange(0,BM); cn=n*BN+tl.arange(0,BN)
    tl.store(c+scm*cm[:,None]+scn*cn[None,:],v,mask=(cm[:,None]<M)&(cn[None,:]<N))

@triton.jit
def splitk_k(a,b,c,M,N,K,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,S:tl.constexpr):
    pid=tl.program_id(0); z=tl.program_id(1); pn=tl.cdiv(N,BN); m=pid//pn; n=pid%pn
    om=m*BM+tl.arange(0,BM); on=n*BN+tl.arange(0,BN); ok=z*BK+tl.arange(0,BK)
    pa=a+om[:,None]*K+ok[None,:]; pb=b+ok[:,None]*N+on[None,:]
    acc=tl.zeros((BM,BN),dtype=tl.float32)
    for k in range(0,tl.cdiv(K,BK*S)):
        acc=tl.dot(tl.load(pa),tl.load(pb),acc); pa+=BK*S; pb+=BK*S*N
    tl.atomic_add(c+om[:,None]*N+on[None,:],acc)

@triton.jit
def tma_persist_k(ad,bd,cd,M,N,K,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr,SMS:tl.constexpr,WS:tl.constexpr):
    a=tl.make_tensor_descriptor(ad,[M,K],[K,1],[BM,BK]); b=tl.make_tensor_descriptor(bd,[N,K],[K,1],[BN,BK]); c=tl.make_tensor_descriptor(cd,[M,N],[N,1],[BM,BN])
    pm=tl.cdiv(M,BM); pn=tl.cdiv(N,BN)
    for t in tl.range(tl.program_id(0),pm*pn,SMS,flatten=False,warp_specialize=WS):
        m=t//pn*BM; n=t%pn*BN
        acc=tl.zeros((BM,BN),dtype=tl.float32)
        for k in range(tl.cdiv(K,BK)):
            acc=tl.dot(a.load([m,k*BK]),b.load([n,k*BK]).T,acc)
        c.store([m,n],acc.to(tl.float16))

@triton.jit
def attn_k(q,k,v,o,S,scale,D:tl.constexpr,BM:tl.constexpr,BN:tl.constexpr,CAUSAL:tl.constexpr):
    pid=tl.program_id(0); bh=tl.program_id(1); base=bh*S*D
    om=pid*BM+tl.arange(0,BM); od=tl.arange(0,D)
    qq=tl.load(q+base+om[:,None]*D+od[None,:])
    mi=tl.full([BM],-float('inf'),tl.float32); li=tl.zeros([BM],tl.float32); acc=tl.zeros([BM,D],tl.float32)
    hi=(pid+1)*BM if CAUSAL else S
    for s in range(0,hi,BN):
        on=s+tl.arange(0,BN)
        kk=tl.load(k+base+on[None,:]*D+od[:,None]); p=tl.dot(qq,kk)*scale
        if CAUSAL: p=tl.where(om[:,None]>=on[None,:],p,-1e30)
        mn=tl.maximum(mi,tl.max(p,1)); e=tl.exp2(p-mn[:,None]); al=tl.exp2(mi-mn)
        li=li*al+tl.sum(e,1); acc=acc*al[:,None]
        vv=tl.load(v+base+on[:,None]*D+od[None,:]); acc=tl.dot(e.to(tl.float16),vv,acc); mi=mn
    tl.store(o+base+om[:,None]*D+od[None,:],(acc/li[:,None]).to(tl.float16))

@triton.jit
def group_k(ptrs,sizes,G,NS:tl.constexpr,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr):
    t=tl.program_id(0); end=0
    for g in range(G):
        M=tl.load(sizes+g*3); N=tl.load(sizes+g*3+1); K=tl.load(sizes+g*3+2)
        tiles=tl.cdiv(M,BM)*tl.cdiv(N,BN)
        while t>=end and t<end+tiles:
            a=tl.load(ptrs+g*3).to(tl.pointer_type(tl.float16)); b=tl.load(ptrs+g*3+1).to(tl.pointer_type(tl.float16)); c=tl.load(ptrs+g*3+2).to(tl.pointer_type(tl.float16))
            x=t-end; pn=tl.cdiv(N,BN); om=x//pn*BM+tl.arange(0,BM); on=x%pn*BN+tl.arange(0,BN); ok=tl.arange(0,BK)
            pa=a+om[:,None]*K+ok[None,:]; pb=b+ok[:,None]*N+on[None,:]; acc=tl.zeros((BM,BN),tl.float32)
            for k in range(0,tl.cdiv(K,BK)):
                acc=tl.dot(tl.load(pa),tl.load(pb),acc); pa+=BK; pb+=BK*N
            tl.store(c+om[:,None]*N+on[None,:],acc.to(tl.float16)); t+=NS
        end+=tiles

@triton.jit
def hist_k(x,h,n,B:tl.constexpr,NB:tl.constexpr):
    i=tl.program_id(0)*B+tl.arange(0,B)
    v=tl.load(x+i,mask=i<n,other=0); tl.atomic_add(h+v%NB,1,mask=i<n)

@triton.jit
def last_k(x,part,cnt,out,n,B:tl.constexpr,P:tl.constexpr):
    p=tl.program_id(0); i=p*B+tl.arange(0,B)
    tl.store(part+p,tl.sum(tl.load(x+i),0))
    tl.debug_barrier()
    k=tl.atomic_add(cnt,1)
    if k==tl.num_programs(0)-1:
        tl.store(out,tl.sum(tl.load(part+tl.arange(0,P)),0))

def main():
    triton.set_allocator(lambda s,a,st: torch.empty(s,device=d,dtype=torch.int8))
    g=torch.Generator(device=d).manual_seed(0)
    R=lambda *s:(torch.randn(*s,device=d,generator=g)).half()
    x=torch.rand(5000,device=d); run('add',lambda: add_k[(5,)](x,x,torch.empty_like(x),5000,B=1024))
    s=R(256,781); run('softmax',lambda: softmax_k[(64,)](torch.empty_like(s),s,781,256,781,B=1024,STAGES=2))
    l=torch.rand(64,3000,device=d); run('layernorm',lambda: ln_k[(64,)](l,l[0],l[1],torch.empty_like(l),3000,3000,1e-5,B=1024))
    run('locked_sum',lambda: locked_sum_k[(32,)](torch.rand(32,128,device=d),torch.zeros(4,128,device=d),torch.zeros(4,dtype=torch.int32,device=d),torch.zeros(4,dtype=torch.int32,device=d),32,G=4,B=128))
    a=R(512,512); b=R(512,512); c=torch.empty(512,512,device=d,dtype=torch.float16)
    run('mm',lambda: mm_k[(16,)](a,b,c,512,512,512,512,1,512,1,512,1,BM=128,BN=128,BK=64,G=4,num_warps=4,num_stages=3))
    run('mm8',lambda: mm_k[(8,)](a,b,c,512,512,512,512,1,512,1,512,1,BM=128,BN=256,BK=64,G=4,num_warps=8,num_stages=4))
    cf=torch.zeros(512,512,device=d); run('splitk',lambda: splitk_k[(16,4)](a,b,cf,512,512,512,BM=128,BN=128,BK=32,S=4,num_warps=4))
    run('tma_persist',lambda: tma_persist_k[(8,)](a,b,c,512,512,512,BM=128,BN=128,BK=64,SMS=8,WS=False,num_warps=8,num_stages=3))
    run('tma_persist_ws',lambda: tma_persist_k[(8,)](a,b,c,512,512,512,BM=128,BN=128,BK=64,SMS=8,WS=True,num_warps=4,num_stages=3))
    q=R(4,512,64); o=torch.empty_like(q)
    run('attn',lambda: attn_k[(4,4)](q,q,q,o,512,0.18,D=64,BM=128,BN=64,CAUSAL=False,num_warps=4,num_stages=2))
    run('attn_causal',lambda: attn_k[(4,4)](q,q,q,o,512,0.18,D=64,BM=128,BN=64,CAUSAL=True,num_warps=8,num_stages=3))
    A=[R(128,256),R(256,128)]; Bm=[R(256,128),R(128,256)]; C=[torch.empty(128,128,device=d,dtype=torch.float16),torch.empty(256,256,device=d,dtype=torch.float16)]
    ptrs=torch.tensor([t.data_ptr() for i in range(2) for t in (A[i],Bm[i],C[i])],device=d,dtype=torch.int64); sizes=torch.tensor([128,128,256,256,256,128],device=d,dtype=torch.int32)
    run('group',lambda: group_k[(4,)](ptrs,sizes,2,NS=4,BM=128,BN=128,BK=64,num_warps=4))
    hx=torch.randint(0,64,(4000,),device=d,dtype=torch.int32); run('hist',lambda: hist_k[(4,)](hx,torch.zeros(64,dtype=torch.int32,device=d),4000,B=1024,NB=64))
    run('last',lambda: last_k[(16,)](torch.rand(16*256,device=d),torch.zeros(16,device=d),torch.zeros(1,dtype=torch.int32,device=d),torch.zeros(1,device=d),4096,B=256,P=16))
if __name__=='__main__': main()
